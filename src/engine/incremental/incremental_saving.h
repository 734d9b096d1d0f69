// Saves what a release adds to its series, while something else is done: each file as soon as what it holds is there.
// Nothing of it counts until the release is on record.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/incremental_state.h"
#include "ledger/state_file.h"

namespace pentimento {

// Identities and who has them stay as they are until Finish or Abandon returns.
class IncrementalSaving {
 public:
  IncrementalSaving() = default;
  ~IncrementalSaving() { Stop(); }
  IncrementalSaving(const IncrementalSaving&) = delete;
  IncrementalSaving& operator=(const IncrementalSaving&) = delete;

  // Who came, ascending. Without anybody there is no file.
  void BeginIdentities(const std::filesystem::path& state_folder, const std::string& release,
                       std::span<const IdentityHash> hashes);
  // `identified`: the members with these identities, in the same order.
  void BeginSegment(const std::filesystem::path& state_folder, const std::string& release,
                    std::shared_ptr<const SegmentData> segment, std::size_t columns,
                    std::span<const CaseNumber> identified);
  // What the segment ends with.
  void TellAbout(std::string about);

  // Waits for all files, whatever becomes of one, and returns them. The segment was told what it ends with.
  Result<std::vector<StateFileRecord>> Finish();
  // Waits until nothing is written any more. What is complete by then stays where it is. Of what went wrong only a bug
  // of ours is told.
  void Abandon();

 private:
  // The files that were begun, once all of them are as they stay.
  std::vector<std::future<Result<StateFileRecord>>> Stop();

  std::vector<std::future<Result<StateFileRecord>>> files_;
  // What a segment waits for; nothing is waited for where it is empty.
  std::optional<std::promise<std::optional<std::string>>> about_;
};

}  // namespace pentimento
