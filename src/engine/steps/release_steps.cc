#include "engine/steps/release_steps.h"

#include <future>
#include <utility>

#include "engine/steps/one_release.h"
#include "fmt/core.h"

namespace pentimento {

ReleaseSteps::ReleaseSteps(BoundPolicy bound, const ReleaseOptions& options, ReleaseMemory memory)
    : bound_(std::move(bound)),
      memory_(std::move(memory)),
      seed_(options.seed ? SeedFromNumber(*options.seed) : DrawSeed()),
      progress_(options.progress != nullptr ? options.progress : &silent_),
      outcome_(memory_.BeginOutcome(bound_, options)),
      remarks_(options.remarks != nullptr ? options.remarks : &own_remarks_) {
  remarks_->notes = outcome_.recovered;
  remarks_->Add({.notes = memory_.notes(), .warnings = {}});
}

Result<EncodedInput> ReleaseSteps::ReadInput(const Seed& order, bool keep_identities) {
  PENTIMENTO_RETURN_IF_ERROR(RequireTellable(bound_, memory_.ledger()));
  progress_->Begin("reading");
  EncodeOptions options;
  options.seed = order;
  options.identity_hasher = memory_.identity_hasher();
  options.spill_folder = memory_.spill_folder();
  options.keep_identities = keep_identities;
  options.progress = progress_;
  return EncodeTable(OpenInputs(bound_.policy.inputs, bound_.plan), bound_.plan, options);
}

Status ReleaseSteps::RequireEnoughPeople(std::uint64_t there) const {
  if (there >= bound_.k) return {};
  const char* const people = bound_.counts_persons ? (there == 1 ? "person" : "people") : (there == 1 ? "row" : "rows");
  return Error{
      ErrorCode::kRefused,
      fmt::format(
          "the table has {} {}, but every group needs {}: {} more would be needed, and nothing was published; gather "
          "more rows or lower k",
          there, people, bound_.k, bound_.k - there)};
}

Result<OpenEntry> ReleaseSteps::StageBeside(const std::function<Result<std::vector<StateFileRecord>>()>& write_state,
                                            const std::function<Result<std::vector<PublishedFile>>()>& stage_tables,
                                            std::uint64_t rows) {
  progress_->Begin("writing");
  (void)watch_.Lap();
  std::future<Result<std::vector<StateFileRecord>>> state = std::async(std::launch::async, write_state);
  Result<std::vector<PublishedFile>> files = stage_tables();
  Result<std::vector<StateFileRecord>> state_files = state.get();
  const Status going_on = CheckCancelled();
  if (!files.ok() || !state_files.ok() || !going_on.ok()) memory_.DropState(bound_.policy.release);
  if (!files.ok()) return std::move(files).error();
  if (!state_files.ok()) return std::move(state_files).error();
  if (!going_on.ok()) return going_on.error();
  NoteFiles(*files);
  outcome_.seconds.write = watch_.Lap();
  return memory_.EntryOf(bound_, seed_, rows, std::move(files).value(), std::move(state_files).value());
}

void ReleaseSteps::NoteFiles(const std::vector<PublishedFile>& files) {
  for (const PublishedFile& file : files) outcome_.files.push_back(file.name);
  outcome_.folder = memory_.out().final_path();
}

Status ReleaseSteps::Commit(const OpenEntry& entry) {
  progress_->Begin("recording");
  PENTIMENTO_RETURN_IF_ERROR(memory_.Commit(entry));
  outcome_.seconds.record = watch_.Lap();
  return {};
}

ReleaseOutcome ReleaseSteps::Finish() {
  progress_->End();
  outcome_.remarks = *remarks_;
  return std::move(outcome_);
}

}  // namespace pentimento
