// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many programs, each in a process that may die of it: a crash or a hang belongs to its seed, and the others go on.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGN_H
#define TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGN_H

#include "fuzz/programs/CampaignLog.h"
#include "fuzz/programs/Differential.h"

namespace tilewright::programs {

struct CampaignOptions {
  uint64_t first = 0, count = 0;
  unsigned jobs = 1;
  unsigned secondsPerProgram = 60;
  unsigned seconds = 0; // after which no further program begins; 0: none
  std::vector<Way> ways;
  bool large = false;         // programs with large tiles
  bool strict = false;        // a program that a way has no code for has failed
  std::string found;          // a folder for the programs that failed; none if empty
  CampaignLog *log = nullptr; // the finished programs, extended by this run
  bool showProgress = false;
};

struct Finding {
  uint64_t seed;
  std::string text;
};

struct CampaignResult {
  uint64_t same = 0;
  std::vector<Finding> failures;            // mismatches, crashes, hangs, programs that are none
  std::map<std::string, uint64_t> refusals; // by message
  double seconds = 0;
};

CampaignResult runCampaign(const CampaignOptions &options);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGN_H
