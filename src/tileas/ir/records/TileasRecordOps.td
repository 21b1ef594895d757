// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of what agents do when, for `tilewright profile`. abi/AgentRecords.h has their form in memory.
#ifndef TILEWRIGHT_TILEAS_IR_RECORDOPS
#define TILEWRIGHT_TILEAS_IR_RECORDOPS

include "tileas/ir/TileasScaledOps.td"

// One thread of each of the `count` warpgroups that run it writes, to the memory of tracks `first`, `first + 1`, ... of
// the `tracks` of a CTA. A count of 0 stands for one track and a region that a single thread runs. The memory is that of
// the launch: `buffer` is its address and `capacity` the number of records of a track, 0 for a launch without records.
def Tileas_Records : Resource<"::tilewright::tileas::RecordsResource">;

class Tileas_RecordingOp<string mnemonic, list<Trait> traits = []>
    : Tileas_Op<mnemonic, !listconcat([MemoryEffects<[MemWrite<Tileas_Records>]>], traits)> {
  dag place = (ins I64:$buffer, I32:$capacity, I64Attr:$first, I64Attr:$count, I64Attr:$tracks);
  string placeFormat = "`into` $buffer `,` $capacity `by` $first `,` $count `of` $tracks attr-dict";
}

def BeginRecordsOp : Tileas_RecordingOp<"begin_records"> {
  let summary = "note the clocks before the first record of the tracks";
  let arguments = place;
  let assemblyFormat = placeFormat;
}
def RecordOp : Tileas_RecordingOp<"record"> {
  let summary = "note the clock, and from then on what the agent does";
  let description = [{
    `word` is the number of a `#tileas.record_site` of the function, or 2^30 plus the number of the tile block that
    begins. Behind its `capacity` a track has no more records, but they are counted.

    ```
    tileas.record %c3_i32 into %buffer, %capacity by 0, 2 of 3
    ```
  }];
  let arguments = !con((ins I32:$word), place);
  let assemblyFormat = "$word " # placeFormat;
}
def EndRecordsOp : Tileas_RecordingOp<"end_records"> {
  let summary = "note the clocks behind the last record, and how many there were";
  let arguments = place;
  let assemblyFormat = placeFormat;
}

#endif
