// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A campaign as a text file, which grows by a line for each range of seeds that is done, so that a later call goes on
// where this one ended:
//
//   ways nvidia:sm_80/O3/ptx,nvidia:sm_90/O3/ptx large
//   failed 117 died of Segmentation fault
//   refused 131 nvidia:sm_80/O3/ptx: cuda_tile.x is not lowered to tileaa
//   done 100 149 same 48
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGNLOG_H
#define TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGNLOG_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace tilewright::programs {

// Seeds from `first` to before `end`.
struct SeedRange {
  uint64_t first = 0, end = 0;
};

class CampaignLog {
public:
  // `what` says what is done to each seed; a file about something else is an error.
  static llvm::Expected<std::unique_ptr<CampaignLog>> open(const std::string &path, llvm::StringRef what);

  // The parts of a range that are not done.
  std::deque<SeedRange> missing(SeedRange range) const;
  uint64_t numSame() const { return same; }
  // The first line of what each seed gave.
  const std::map<uint64_t, std::string> &failures() const { return failed; }
  const std::map<uint64_t, std::string> &refusals() const { return refused; }

  void noteFailed(uint64_t seed, llvm::StringRef text);
  void noteRefused(uint64_t seed, llvm::StringRef text);
  void noteDone(SeedRange range, uint64_t same);

private:
  // A line of the file; false if it is none.
  bool take(llvm::StringRef line);
  void write(const llvm::Twine &line);

  std::map<uint64_t, uint64_t> done; // ends by first seed
  uint64_t same = 0;
  std::map<uint64_t, std::string> failed, refused;
  std::unique_ptr<llvm::raw_fd_ostream> file;
};

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_CAMPAIGNLOG_H
