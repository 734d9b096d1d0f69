#include "engine/import_release.h"

#include <algorithm>
#include <optional>

#include "base/run.h"
#include "base/suggest.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/published/datapackage.h"
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
  if (bound.dropped.empty()) return {};
  std::vector<std::string> names;
  for (const ColumnPlan& column : bound.plan.columns) names.push_back(column.name);
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: column '{}' is in the table, and {} does not say what it is; give it a role in "
                           "[columns], 'keep' if no other fits.{}",
                           bound.policy.inputs.front().string(), Printable(bound.dropped.front()),
                           bound.policy.source.string(), DidYouMean(bound.dropped.front(), names))};
}

constexpr const char* kNoCategory =
    "is no label of its taxonomy, no set of such labels, not '*' and not a missing value; add the label to the "
    "taxonomy";
constexpr const char* kNoNumber =
    "is no number and no interval '[a,b)' or '[a,b]' within the declared domain, not '*' and not a missing value; "
    "correct the domain";

PublishedColumn ColumnOf(const ColumnPlan& plan) { return {plan.name, plan.role, plan.taxonomy, plan.range}; }

struct BadLabel {
  std::size_t row = 0;
  std::string column;
  const char* what = nullptr;
};

// One run. The steps are members so that ImportRelease below reads as the flow itself.
class Import {
 public:
  Import(BoundPolicy bound, ReleaseMemory memory, Progress* progress)
      : bound_(std::move(bound)), memory_(std::move(memory)), progress_(progress != nullptr ? progress : &silent_) {
    outcome_.release = bound_.policy.release;
    outcome_.recovered = memory_.recovered();
    outcome_.promise = PromiseOf(bound_);
  }

  // The cells as they are written; kept columns are only named.
  Result<PublishedTable> Read() {
    progress_->Begin("reading");
    WantedColumns wanted;
    for (const ColumnPlan& column : bound_.plan.columns) {
      if (column.role != Role::kKeep) wanted.texts.push_back(column.name);
    }
    PENTIMENTO_ASSIGN(PublishedTable table, ReadTableFiles(bound_.policy.inputs, wanted, progress_));
    if (table.rows == 0) {
      return Error{ErrorCode::kBadInput, fmt::format("{}: the table has no rows, so there is nothing to put on record",
                                                     bound_.policy.inputs.front().string())};
    }
    outcome_.rows = table.rows;
    return table;
  }

  // Every cell of a quasi-identifier can be read, or the first that cannot is an error. Fills in what the columns are.
  Status Look(const PublishedTable& table) {
    progress_->Begin("checking");
    std::optional<BadLabel> first;
    std::size_t value = 0;
    for (const ColumnPlan& plan : bound_.plan.columns) {
      outcome_.columns.push_back({plan.name, plan.role});
      if (plan.role == Role::kKeep) continue;
      const ValueColumn& values = table.columns[value++];
      if (plan.role == Role::kQuasiIdentifier) {
        PENTIMENTO_ASSIGN(const std::optional<BadLabel> bad, FindBadLabel(plan, values));
        if (bad && (!first || bad->row < first->row)) first = bad;
      }
      Describe(plan, values);
    }
    if (first) return table.BadCell(first->row, first->column, first->what);
    return CheckCancelled();
  }

  Result<OpenEntry> Stage() {
    progress_->Begin("writing");
    Failpoint("stage-begun");
    const std::filesystem::path& folder = memory_.out().staging_path();
    std::vector<PublishedFile> files;
    for (const std::filesystem::path& file : bound_.policy.inputs) {
      PENTIMENTO_ASSIGN(const std::string name, NameOfCopy(file, files.size()));
      PENTIMENTO_ASSIGN(PublishedFile copy, StageCopy(folder, name, file));
      files.push_back(std::move(copy));
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    const std::size_t tables = files.size();
    Failpoint("stage-table-written");
    PENTIMENTO_ASSIGN(files,
                      FinishStaging(folder, bound_, std::move(files), [&](std::span<const PublishedFile> staged) {
                        return ImportedPackageText(bound_, outcome_.promise, staged, tables, categories_);
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
  Result<std::optional<BadLabel>> FindBadLabel(const ColumnPlan& plan, const ValueColumn& values) const {
    const std::vector<std::string> texts = CsvTexts(values);
    // Without a missing value: an empty cell is one only where the policy lists it.
    PENTIMENTO_ASSIGN(const Domain domain, DomainOfLabels(ColumnOf(plan), {&texts}, false));
    std::vector<bool> is_bad;
    for (const std::string& text : texts) {
      const bool missing = std::ranges::find(bound_.policy.missing, text) != bound_.policy.missing.end();
      is_bad.push_back(!missing && !domain.ParseLabel(text));
    }
    const std::optional<std::size_t> row = FindRow(values.codes, is_bad);
    if (!row) return std::optional<BadLabel>();
    return std::optional(BadLabel{*row, plan.name, plan.taxonomy ? kNoCategory : kNoNumber});
  }

  void Describe(const ColumnPlan& plan, const ValueColumn& values) {
    const std::vector<std::string> labels = LabelsOf(values, plan.role, bound_.policy.missing).labels;
    outcome_.columns.back().labels = labels.size();
    outcome_.columns.back().is_cut = IsCut(ColumnOf(plan), labels);
    const auto is_set = [](const std::string& label) { return label.starts_with('{'); };
    if (plan.taxonomy && std::ranges::any_of(labels, is_set)) categories_ = CategoryForm::kSets;
  }

  Result<std::string> NameOfCopy(const std::filesystem::path& file, std::size_t number) const {
    PENTIMENTO_ASSIGN(const FileFormat format, DetectFormat(file));
    return fmt::format("table{}{}", bound_.policy.inputs.size() == 1 ? "" : fmt::format("-{}", number + 1),
                       format == FileFormat::kParquet ? ".parquet" : ".csv");
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
    return entry;
  }

  BoundPolicy bound_;
  ReleaseMemory memory_;
  Progress silent_;
  Progress* progress_;
  CategoryForm categories_ = CategoryForm::kTaxonomy;
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
