#include "engine/import_release.h"

#include <algorithm>
#include <map>

#include "base/run.h"
#include "base/suggest.h"
#include "base/user_name.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/published/datapackage.h"
#include "engine/published/foreign_cells.h"
#include "engine/published/published_cells.h"
#include "engine/published/published_table.h"
#include "engine/steps/release_memory.h"
#include "engine/steps/stage.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "ledger/file_descriptor.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

Status RequireDifferentFiles(std::span<const std::filesystem::path> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;  // a file that is not there is said to be later on
      if (!std::filesystem::equivalent(files[i], files[j], ignored)) continue;
      return Error{
          ErrorCode::kUsage,
          fmt::format("{}: named twice, so everybody in it would count twice; name each file once", files[i].string())};
    }
  }
  return {};
}

// What was published is on record in full, or it is not: a column left out here would be forgotten by every later
// check.
Status RequireDescribed(const BoundPolicy& bound) {
  if (bound.tables.dropped.empty()) return {};
  std::vector<std::string> names;
  for (const ColumnPlan& column : bound.plan.columns) names.push_back(column.name);
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: column '{}' is in the table, and {} does not say what it is; give it a role in "
                           "[columns], 'keep' if no other fits.{}",
                           bound.policy.inputs.front().string(), Printable(bound.tables.dropped.front()),
                           bound.policy.source.string(), DidYouMean(bound.tables.dropped.front(), names))};
}

PublishedColumn ColumnOf(const ColumnPlan& plan) { return {plan.name, plan.role, plan.taxonomy, plan.range}; }

// What helps. That a cell is missing is nothing to advise: nobody knows that but its maker.
std::string AdviceFor(const std::vector<UnreadLabels>& columns) {
  const auto has = [&](bool is_numeric, LabelCount UnreadLabels::*count) {
    return std::ranges::any_of(columns, [&](const UnreadLabels& unread) {
      return unread.is_numeric == is_numeric && (unread.*count).labels > 0;
    });
  };
  std::string advice;
  if (has(true, &UnreadLabels::beyond)) advice += " Declare a domain that holds all values that its labels name.";
  if (has(true, &UnreadLabels::unknown) || has(true, &UnreadLabels::wider)) {
    advice +=
        " Numbers are understood as 37, 20-29, [20,30), (20,30], >=50, 50+, 20** (where all numbers have four digits) "
        "and {17,18} (without gaps); for others describe the column with a taxonomy that has the labels.";
  }
  if (has(false, &UnreadLabels::unknown) || has(false, &UnreadLabels::beyond)) {
    advice +=
        " Categories are understood as labels of the taxonomy, {a,b}, a|b and 2043*; add other labels to the taxonomy, "
        "above the leaves that they stand for.";
  }
  if (has(false, &UnreadLabels::wider))
    advice += " Put the leaves of a set or mask side by side in the taxonomy, or add its label above them.";
  return advice;
}

// Names every column with such labels.
Error NotUnderstood(const std::vector<UnreadLabels>& columns, const PublishedTable& table) {
  std::string message;
  for (const UnreadLabels& unread : columns)
    message += fmt::format("{}{}, {}", message.empty() ? "" : "; ", table.PlaceOf(unread.first_row), InWords(unread));
  return {ErrorCode::kBadInput, fmt::format("{}.{} Nothing was put on record.", message, AdviceFor(columns))};
}

// One run. The steps are members so that ImportRelease below reads as the flow itself.
class Import {
 public:
  Import(BoundPolicy bound, ReleaseMemory memory, Progress* progress)
      : bound_(std::move(bound)), memory_(std::move(memory)), progress_(progress != nullptr ? progress : &silent_) {
    outcome_.release = bound_.policy.release;
    outcome_.recovered = memory_.recovered();
    outcome_.new_ledger = memory_.new_ledger();
    outcome_.promise = PromiseOf(bound_);
    outcome_.notes = bound_.tables.read_as;
  }

  // The cells as they are written; kept columns are only named.
  Result<PublishedTable> Read() {
    progress_->Begin("reading");
    WantedColumns wanted;
    for (const ColumnPlan& column : bound_.plan.columns) {
      if (column.role != Role::kKeep) wanted.texts.push_back(column.name);
      if (column.range && bound_.policy.interval_columns) wanted.ends[column.name] = column.range->first;
    }
    PENTIMENTO_ASSIGN(PublishedTable table, ReadTableFiles(bound_.tables.files, wanted, progress_));
    if (table.rows == 0) {
      return Error{ErrorCode::kBadInput, fmt::format("{}: the table has no rows, so there is nothing to put on record",
                                                     bound_.policy.inputs.front().string())};
    }
    outcome_.rows = table.rows;
    return table;
  }

  // Every label of a quasi-identifier is understood, or all columns with others are an error. Fills in what the columns
  // are.
  Status Look(const PublishedTable& table) {
    progress_->Begin("checking");
    std::vector<UnreadLabels> unread;
    std::size_t value = 0;
    for (const ColumnPlan& plan : bound_.plan.columns) {
      outcome_.columns.push_back({plan.name, plan.role});
      if (plan.role == Role::kKeep) continue;
      const ValueColumn& values = table.columns[value++];
      if (plan.role != Role::kQuasiIdentifier) {
        Describe(plan, values);
        continue;
      }
      PENTIMENTO_ASSIGN(const ForeignColumn read, ReadForeignColumn(ColumnOf(plan), values, bound_.policy.missing));
      if (!read.unread.empty()) {
        unread.push_back(read.unread);
        continue;
      }
      if (read.domain.is_numeric()) scales_[plan.name] = read.domain.range().scale;
      Describe(plan, InOwnLabels(read, values));
    }
    if (!unread.empty()) return NotUnderstood(unread, table);
    return CheckCancelled();
  }

  Result<OpenEntry> Stage() {
    progress_->Begin("writing");
    Failpoint("stage-begun");
    const std::filesystem::path& folder = memory_.out().staging_path();
    std::vector<PublishedFile> files;
    for (const TableFile& file : bound_.tables.files) {
      PENTIMENTO_ASSIGN(PublishedFile copy, Copy(file, folder, files.size()));
      files.push_back(std::move(copy));
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    const std::size_t tables = files.size();
    Failpoint("stage-table-written");
    PENTIMENTO_ASSIGN(files,
                      FinishStaging(folder, bound_, std::move(files), [&](std::span<const PublishedFile> staged) {
                        return ImportedPackageText(bound_, outcome_.promise, staged, tables, categories_, scales_);
                      }));
    Failpoint("stage-complete");
    for (const PublishedFile& file : files) outcome_.files.push_back(file.name);
    outcome_.folder = memory_.out().final_path();
    return EntryOf(std::move(files));
  }

  Status Commit(const OpenEntry& entry) {
    progress_->Begin("recording");
    return memory_.Commit(entry);
  }

  ImportOutcome Finish() {
    progress_->End();
    return std::move(outcome_);
  }

 private:
  void Describe(const ColumnPlan& plan, const ValueColumn& values) {
    const std::vector<std::string> labels = LabelsOf(values, plan.role, bound_.policy.missing).labels;
    outcome_.columns.back().labels = labels.size();
    outcome_.columns.back().is_cut = IsCut(ColumnOf(plan), labels);
    const auto is_set = [](const std::string& label) { return label.starts_with('{'); };
    if (plan.taxonomy && std::ranges::any_of(labels, is_set)) categories_ = CategoryForm::kSets;
  }

  // Byte by byte, or as we write tables where the text is written otherwise: every later reader knows that form.
  Result<PublishedFile> Copy(const TableFile& file, const std::filesystem::path& folder, std::size_t number) const {
    PENTIMENTO_ASSIGN(const FileHead head, ReadFileHead(file));
    const std::string name =
        fmt::format("table{}{}", bound_.tables.files.size() == 1 ? "" : fmt::format("-{}", number + 1),
                    head.format == FileFormat::kParquet ? ".parquet" : ".csv");
    if (head.form.empty()) return StageCopy(folder, name, file.path);
    PENTIMENTO_ASSIGN(TableSource source, OpenTableFile(file, head.columns, {}));
    ArrowArrayStream rows = std::exchange(*source.stream(), {});
    PENTIMENTO_ASSIGN(const WrittenFile written,
                      WriteFile(&rows, FileFormat::kCsv, folder / name, {.mode = 0600, .to_disk = true}));
    return PublishedFile{name, ToHex(written.sha256), written.bytes};
  }

  OpenEntry EntryOf(std::vector<PublishedFile> files) const {
    OpenEntry entry;
    entry.release = bound_.policy.release;
    entry.policy_text = bound_.policy.text;
    entry.guarantee = ImportInWords(outcome_.promise);
    entry.parameters_json = outcome_.promise.json;
    entry.rows = outcome_.rows;
    entry.files = std::move(files);
    entry.final_path = memory_.out().final_path();
    entry.imported = true;
    entry.user = UserName();
    entry.policy_file = std::filesystem::absolute(bound_.policy.source).lexically_normal().string();
    entry.input = RecordedInput{{}, outcome_.rows, {}};
    for (const std::filesystem::path& file : bound_.policy.inputs) entry.input->files.push_back(file.string());
    for (const ColumnPlan& column : bound_.plan.columns) entry.input->columns.push_back(column.name);
    return entry;
  }

  BoundPolicy bound_;
  ReleaseMemory memory_;
  Progress silent_;
  Progress* progress_;
  CategoryForm categories_ = CategoryForm::kTaxonomy;
  std::map<std::string, int> scales_;  // of numeric columns: how many decimals their labels have
  ImportOutcome outcome_;
};

}  // namespace

Result<ImportOutcome> ImportRelease(Policy policy, const ImportOptions& options) {
  PENTIMENTO_RETURN_IF_ERROR(RequireDifferentFiles(options.files));
  policy.inputs = options.files;
  PENTIMENTO_ASSIGN(BoundPolicy bound, Bind(std::move(policy)));
  PENTIMENTO_RETURN_IF_ERROR(RequireDescribed(bound));
  ReleaseOptions place;
  place.ledger = options.ledger;
  place.out = LedgerFolder::At(options.ledger).Imported();
  PENTIMENTO_ASSIGN(ReleaseMemory memory, ReleaseMemory::Open(bound.policy, place));
  Import import(std::move(bound), std::move(memory), options.progress);

  PENTIMENTO_ASSIGN(const PublishedTable table, import.Read());
  PENTIMENTO_RETURN_IF_ERROR(import.Look(table));
  PENTIMENTO_ASSIGN(const OpenEntry entry, import.Stage());
  PENTIMENTO_RETURN_IF_ERROR(import.Commit(entry));
  return import.Finish();
}

}  // namespace pentimento
