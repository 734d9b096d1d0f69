#include "engine/incremental/incremental_cells.h"

#include <system_error>

#include "base/check.h"
#include "base/run.h"
#include "files/incremental_rows.h"

namespace pentimento {
namespace {

constexpr const char* kLedger = "the ledger";

// Sensitive and class columns, which are held as codes.
std::vector<std::string> NamesOfValues(const EncodePlan& plan) {
  std::vector<std::string> names;
  for (const ColumnPlan& column : plan.columns) {
    if (column.role != Role::kKeep) names.push_back(column.name);
  }
  return names;
}

}  // namespace

IncrementalCells::IncrementalCells(const EncodePlan& all, std::filesystem::path state, const Seed& seed,
                                   Progress* progress)
    : plan_{{}, all.missing}, state_(std::move(state)), seed_(seed), progress_(progress) {
  for (const ColumnPlan& column : all.columns) {
    if (column.role != Role::kId && column.role != Role::kQuasiIdentifier) plan_.columns.push_back(column);
  }
}

std::vector<std::string> IncrementalCells::Names() const {
  std::vector<std::string> names;
  for (const ColumnPlan& column : plan_.columns) names.push_back(column.name);
  return names;
}

std::set<std::string> IncrementalCells::NamesInPolicy() const {
  const std::vector<std::string> names = Names();
  return {names.begin(), names.end()};
}

EncodeOptions IncrementalCells::Options() const {
  EncodeOptions options;
  options.seed = seed_;
  options.spill_folder = state_;
  options.progress = progress_;
  return options;
}

Result<std::optional<StateFileRecord>> IncrementalCells::Keep(const EncodedInput& newcomers,
                                                              const std::string& release) const {
  if (plan_.columns.empty()) return std::optional<StateFileRecord>();
  const std::filesystem::path parquet = state_ / (release + ".cells");
  std::error_code ignored;
  std::filesystem::remove(parquet, ignored);
  const Status written = WriteIncrementalRows(newcomers, parquet);
  Failpoint("series-cells-written");
  Result<StateFileRecord> record = written.ok() ? WriteIncrementalRowsState(state_, release + ".rows", parquet)
                                                : Result<StateFileRecord>(written.error());
  std::filesystem::remove(parquet, ignored);
  if (!record.ok()) return std::move(record).error();
  return std::optional(std::move(record).value());
}

Result<EncodedInput> IncrementalCells::Read(const std::vector<KeptRows>& kept, std::size_t rows) const {
  const EncodeOptions options = Options();
  if (plan_.columns.empty()) {
    EncodedInput input;
    input.order = RowOrder(seed_, BucketDrawer(seed_).Draw(rows));
    return input;
  }
  Check(!kept.empty() && kept.back().file, "a release keeps its cells before it reads them");
  std::vector<std::span<const std::byte>> payloads;  // by release; empty where it kept none
  std::uint64_t kept_rows = 0;
  for (const KeptRows& of_release : kept) {
    payloads.emplace_back();
    kept_rows += of_release.rows;
    if (!of_release.file) continue;
    PENTIMENTO_ASSIGN(payloads.back(), of_release.file->Elements<std::byte>());
    PENTIMENTO_ASSIGN(const std::uint64_t count, CountIncrementalRows(payloads.back(), kLedger));
    Check(count == of_release.rows, "a release keeps cells for each of its newcomers");
  }
  const std::vector<std::string> as_dictionary = NamesOfValues(plan_);
  TableParts parts;
  parts.count = payloads.size() + 1;
  parts.open = [&, names = Names()](std::size_t part) {
    if (part == payloads.size()) return OpenEmptyRows(payloads.back(), names, rows - kept_rows, kLedger);
    if (!kept[part].file) return OpenEmptyRows(payloads.back(), names, kept[part].rows, kLedger);
    return OpenIncrementalRows(payloads[part], payloads.back(), names, as_dictionary, kLedger);
  };
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(parts, plan_, options));
  Check(input.table.rows == rows, "there are cells for every row");
  return input;
}

Result<EncodedInput> IncrementalCells::ReadKept(const KeptRows& kept, const std::set<std::string>& columns) const {
  EncodePlan plan{{}, plan_.missing};
  std::vector<std::string> names;
  for (const ColumnPlan& column : plan_.columns) {
    if (!columns.contains(column.name)) continue;
    plan.columns.push_back(column);
    names.push_back(column.name);
  }
  PENTIMENTO_ASSIGN(const std::span<const std::byte> payload, kept.file->Elements<std::byte>());
  TableParts parts;
  parts.count = 1;
  parts.open = [&](std::size_t) { return OpenIncrementalRows(payload, payload, names, NamesOfValues(plan), kLedger); };
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(parts, plan, Options()));
  Check(input.table.rows == kept.rows, "a release keeps cells for each of its newcomers");
  return input;
}

}  // namespace pentimento
