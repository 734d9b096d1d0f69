// What every way of publishing has in hand, and the steps that all of them take alike: reading the input, writing table
// and state side by side, putting the release on record. Plain releases, growing series and series under the global
// guarantee differ in what lies between.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "base/result.h"
#include "base/stopwatch.h"
#include "engine/bind/bind.h"
#include "engine/steps/release_memory.h"
#include "engine/steps/release_outcome.h"
#include "io/encode.h"
#include "ledger/open_entry.h"

namespace pentimento {

class ReleaseSteps {
 public:
  ReleaseSteps(const ReleaseSteps&) = delete;
  ReleaseSteps& operator=(const ReleaseSteps&) = delete;

  Status Commit(const OpenEntry& entry);
  ReleaseOutcome Finish();

 protected:
  ReleaseSteps(BoundPolicy bound, const ReleaseOptions& options, ReleaseMemory memory);
  ~ReleaseSteps() = default;

  // Rows are put into an order drawn from `order`. Identities row by row are kept where somebody has to look people up.
  Result<EncodedInput> ReadInput(const Seed& order, bool keep_identities);

  Status RequireEnoughPeople(std::uint64_t there) const;

  // The state goes to disk while the tables are written: the disk works while we format. If either fails, or somebody
  // presses Ctrl-C, the state goes again.
  Result<OpenEntry> StageBeside(const std::function<Result<std::vector<StateFileRecord>>()>& write_state,
                                const std::function<Result<std::vector<PublishedFile>>()>& stage_tables,
                                std::uint64_t rows);

  void NoteFiles(const std::vector<PublishedFile>& files);

  BoundPolicy bound_;
  ReleaseMemory memory_;
  Seed seed_;
  Progress silent_;
  Progress* progress_;
  Stopwatch watch_;
  ReleaseOutcome outcome_;
  Remarks own_remarks_;  // where nobody asks for them
  Remarks* remarks_;
};

}  // namespace pentimento
