#include "engine/incremental/incremental_saving.h"

#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "ledger/identities.h"

namespace pentimento {

void IncrementalSaving::BeginIdentities(const std::filesystem::path& state_folder, const std::string& release,
                                        std::span<const IdentityHash> hashes) {
  if (hashes.empty()) return;
  files_.push_back(StartSideTask([=] { return WriteIdentities(state_folder, release + ".identities", hashes); }));
}

void IncrementalSaving::BeginSegment(const std::filesystem::path& state_folder, const std::string& release,
                                     std::shared_ptr<const SegmentData> segment, std::size_t columns,
                                     std::span<const CaseNumber> identified) {
  // Room comes first: a future that finds none would wait for its thread, and that for what it is never told.
  files_.reserve(files_.size() + 1);
  const auto known = about_.emplace().get_future().share();
  files_.push_back(StartSideTask([=] {
    return WriteIncrementalSegment(state_folder, release + ".segment", segment->view(), columns, identified,
                                   [&known] { return known.get(); });
  }));
}

void IncrementalSaving::TellAbout(std::string about) {
  Check(about_.has_value(), "a segment was begun, and is told once what it ends with");
  std::exchange(about_, std::nullopt)->set_value(std::move(about));
}

Result<std::vector<StateFileRecord>> IncrementalSaving::Finish() {
  Check(!about_.has_value(), "a segment was told what it ends with");
  std::vector<StateFileRecord> records;
  std::optional<Error> error;
  // All of them are over before one is asked: what it throws must not leave the others behind.
  for (std::future<Result<StateFileRecord>>& file : Stop()) {
    Result<StateFileRecord> saved = file.get();
    if (saved.ok()) {
      records.push_back(std::move(saved).value());
    } else if (!error) {
      error = std::move(saved).error();
    }
  }
  if (error) return *std::move(error);
  return records;
}

void IncrementalSaving::Abandon() {
  for (std::future<Result<StateFileRecord>>& file : Stop()) {
    try {
      (void)file.get();
    } catch (const std::exception&) {
      // Whoever abandons the files has an error to tell already.
    }
  }
}

std::vector<std::future<Result<StateFileRecord>>> IncrementalSaving::Stop() {
  if (about_) std::exchange(about_, std::nullopt)->set_value(std::nullopt);
  for (const std::future<Result<StateFileRecord>>& file : files_) file.wait();
  return std::exchange(files_, {});
}

}  // namespace pentimento
