// Whether the ledger is what was written: what a writer asks before it goes by it, and all of it for
// `pentimento log --check`.
#include <system_error>

#include "fmt/core.h"
#include "ledger/check_records.h"
#include "ledger/ledger.h"

namespace pentimento {
namespace {

// The copies of imported releases are a part of the ledger, unlike what was published.
void CheckCopies(const std::filesystem::path& folder, const OpenEntry& entry, std::vector<std::string>& problems) {
  for (const PublishedFile& file : entry.files) {
    const std::filesystem::path path = folder / entry.release / file.name;
    const Result<Sha256> hash = HashFile(path);
    if (hash.ok() && ToHex(*hash) == file.sha256) continue;
    problems.push_back(fmt::format("{}: {}. Restore it from a backup.", path.string(),
                                   hash.ok() ? "not the file that was imported" : "missing or cannot be read"));
  }
}

}  // namespace

Status Ledger::RequireIntact() {
  PENTIMENTO_ASSIGN(const CheckedRecords records, CheckRecords(database_, key_));
  if (!records.problems.empty()) {
    const std::size_t more = records.problems.size() - 1;
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{} Nothing is published with it as it is.{}", records.problems.front(),
                             more == 0 ? "" : fmt::format(" 'pentimento log --check' tells of {} more.", more))};
  }
  // Beside a live writer a file may be replaced at any moment: only who holds the lock can miss one.
  if (!lock_) return {};
  for (const StateFileRecord& file : records.state_files) {
    std::error_code error;
    const std::filesystem::path path = folder_.State() / file.name;
    if (std::filesystem::symlink_status(path, error).type() == std::filesystem::file_type::not_found)
      return StateFileIsMissing(path);
  }
  return {};
}

Result<std::vector<std::string>> Ledger::CheckAll() {
  PENTIMENTO_ASSIGN(CheckedRecords records, CheckRecords(database_, key_));
  for (const StateFileRecord& file : records.state_files) {
    const auto mapped = MapState(file, StateCheck::kPayload);
    if (!mapped.ok()) records.problems.push_back(mapped.error().message);
  }
  for (const OpenEntry& entry : records.published) {
    if (entry.imported) CheckCopies(folder_.Imported(), entry, records.problems);
  }
  return std::move(records.problems);
}

}  // namespace pentimento
