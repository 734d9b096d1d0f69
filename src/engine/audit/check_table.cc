#include "engine/audit/check_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "base/plural.h"
#include "base/temporary_folder.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/audit/shared_domains.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "files/table_file.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/k_anonymity/k_anonymity.h"
#include "io/encode.h"
#include "policy/interval_columns.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// A published table has no id, unless somebody checks a draft that still has it.
void DropWhatIsNotPublished(Policy& policy, const std::vector<std::string>& header) {
  std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
    const bool is_there = std::ranges::find(header, column.name) != header.end();
    return column.role == Role::kKeep || (column.role == Role::kId && !is_there);
  });
}

class TableCheck {
 public:
  TableCheck(BoundPolicy bound, CheckedTable& checked) : bound_(std::move(bound)), checked_(checked) {}

  Status Read(const std::vector<std::string>& header, Progress* progress) {
    checked_.notes = bound_.tables.read_as;
    const ColumnPlan groups{kGroupIdColumn, Role::kQuasiIdentifier, nullptr, std::nullopt};
    if (std::ranges::find(header, kGroupIdColumn) != header.end()) bound_.plan.columns.push_back(groups);
    SplitIntoEnds(header);
    std::vector<bool> is_quasi;
    for (ColumnPlan& column : bound_.plan.columns) {
      if (column.role != Role::kId) is_quasi.push_back(column.role == Role::kQuasiIdentifier);
      described_.push_back(column);
      // Its cells are labels, to be read as they are.
      if (column.role == Role::kQuasiIdentifier) column = {column.name, Role::kClass, nullptr, std::nullopt};
    }
    EncodeOptions options;
    options.spill_folder = TemporaryFolder();
    options.progress = progress;
    PENTIMENTO_ASSIGN(input_, EncodeTable(OpenInput(bound_), bound_.plan, options));
    if (input_.table.rows == 0)
      return Error{ErrorCode::kBadInput, fmt::format("{}: the table has no rows, so there is nothing to check",
                                                     bound_.policy.inputs.front().string())};
    std::vector<const CodeColumn*> quasi;
    for (std::size_t i = 0; i < input_.values.size(); ++i) {
      if (!is_quasi[i]) continue;
      quasi.push_back(&input_.values[i].codes);
      CountUnread(input_.values[i]);
    }
    FormClasses(quasi);
    return {};
  }

  // One for each alternative of a guarantee.
  CheckedGuarantee Verify(const KAnonymityPolicy& policy) const { return CheckK("k-anonymity", policy.k); }
  CheckedGuarantee Verify(const IncrementalKAnonymityPolicy& policy) const {
    return AlsoNeeds(CheckK("incremental-k-anonymity", policy.k),
                     "the releases before it: name all of them to pentimento audit");
  }
  CheckedGuarantee Verify(const XyAnonymityPolicy&) const {
    return {"xy-anonymity", std::nullopt,
            "it is about the join with earlier releases: pentimento audit looks at pairs of views"};
  }
  CheckedGuarantee Verify(const XyLinkabilityPolicy&) const {
    return {"xy-linkability", std::nullopt,
            "it is about the join with earlier releases: pentimento audit looks at pairs of views"};
  }
  CheckedGuarantee Verify(const GlobalGuaranteePolicy& policy) const {
    const char* const needs = "everybody's account over the whole series: pentimento audit with --people";
    if (policy.k == 0) return {"global-guarantee", std::nullopt, fmt::format("it needs {}", needs)};
    return AlsoNeeds(CheckK("global-guarantee", policy.k), needs);
  }
  CheckedGuarantee Verify(const HistoryPolicy& policy) const {
    return AlsoNeeds(CheckK("history", policy.k), "the releases on record: pentimento audit --ledger");
  }
  CheckedGuarantee Verify(const AlphaKAnonymityPolicy&) const {
    const std::optional<BoundAlphaK> limits = BindLimits(bound_, input_);
    std::vector<std::string> names;
    for (const ValueColumn* column : limits->columns) names.push_back(column->name);
    const auto violation = FindAlphaKViolation(input_.table, limits->codes, limits->claim, classes_);
    if (!violation) return {"alpha-k-anonymity", true, ""};
    return {"alpha-k-anonymity", false, Describe(*violation, limits->claim, input_.table.persons.has_value(), names)};
  }

  const BoundPolicy& bound() const { return bound_; }

 private:
  // Numbers that are published as the ends of their intervals are equal where these are.
  void SplitIntoEnds(const std::vector<std::string>& header) {
    const auto is_there = [&](const std::string& name) { return std::ranges::find(header, name) != header.end(); };
    std::vector<ColumnPlan> columns;
    for (ColumnPlan& column : bound_.plan.columns) {
      const IntervalColumns ends = IntervalColumnsOf(column.name);
      if (!bound_.policy.interval_columns || !column.range || is_there(column.name)) {
        columns.push_back(std::move(column));
        continue;
      }
      for (const std::string& end : {ends.from, ends.to, ends.missing})
        if (is_there(end)) columns.push_back({end, Role::kQuasiIdentifier, nullptr, std::nullopt});
    }
    bound_.plan.columns = std::move(columns);
  }

  void FormClasses(std::span<const CodeColumn* const> columns) {
    const Combinations combinations = NumberCombinations(input_.table.rows, columns);
    classes_ = {.columns = columns.size(), .boxes = {}, .of_row = combinations.of_row};
    std::vector<std::uint64_t> rows(combinations.count);
    for (const std::uint32_t row : FirstRows(combinations)) {
      for (const CodeColumn* column : columns) classes_.boxes.push_back({(*column)[row], (*column)[row]});
    }
    for (const std::uint32_t number : combinations.of_row) ++rows[number];
    checked_.rows = input_.table.rows;
    checked_.classes = combinations.count;
    checked_.smallest_class = rows.empty() ? 0 : *std::ranges::min_element(rows);
    checked_.counts_persons = input_.table.persons.has_value();
  }

  // Classes need no meaning; but a table that is not what the policy says is better told.
  void CountUnread(const ValueColumn& column) {
    const auto plan = std::ranges::find(described_, column.name, &ColumnPlan::name);
    if (!plan->taxonomy && !plan->range) return;
    const PublishedColumn published{plan->name, plan->role, plan->taxonomy, plan->range};
    const std::vector<std::string> texts = CsvTexts(column);
    const ColumnToShare shared_column{&published, &texts, true};
    const Result<SharedDomains> shared = ShareDomains({&shared_column, 1}, {});
    std::size_t labels = texts.size();
    if (shared.ok()) {
      const auto meanings = MeaningsOf(shared->domains.front().domain, texts, bound_.policy.missing, true);
      labels =
          static_cast<std::size_t>(std::ranges::count_if(meanings, [](const auto& one) { return !one.has_value(); }));
    }
    if (labels > 0)
      checked_.notes.push_back(
          fmt::format("column '{}': {} of its {} labels {} nothing that the policy describes; classes "
                      "are formed from equal cells all the same",
                      column.name, labels, texts.size(), Plural(labels, "is", "are")));
  }

  CheckedGuarantee CheckK(const char* type, std::uint64_t k) const {
    const auto violation = FindKAnonymityViolation(input_.table, classes_, k);
    if (!violation) return {type, true, ""};
    const auto row = std::ranges::find(classes_.of_row, violation->group) - classes_.of_row.begin();
    return {type, false,
            fmt::format("a class has {} {}, {} are required (row {}, the header not counted, is in it)",
                        violation->members, Plural(violation->members, "member", "members"), k, row + 1)};
  }

  // What one table can break, it cannot prove alone.
  static CheckedGuarantee AlsoNeeds(CheckedGuarantee one, const char* what) {
    if (*one.holds) one = {one.type, std::nullopt, fmt::format("its k holds in this table; the rest needs {}", what)};
    return one;
  }

  BoundPolicy bound_;
  CheckedTable& checked_;
  std::vector<ColumnPlan> described_;
  EncodedInput input_;
  Classes classes_;
};

}  // namespace

bool CheckedTable::passes() const {
  const auto is = [](std::optional<bool> wanted) {
    return [wanted](const CheckedGuarantee& one) { return one.holds == wanted; };
  };
  return std::ranges::none_of(guarantees, is(false));
}

Result<CheckedTable> CheckTable(const std::filesystem::path& file, Policy policy, Progress* progress) {
  CheckedTable checked;
  checked.policy = policy.release;
  if (policy.form == PublishForm::kTwoTables)
    return PolicyError(policy, {},
                       "check is for one table, and the policy asks for two; use pentimento audit NSS+SS=POLICY.toml");
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(TableFile(file, policy.text_setting)));
  DropWhatIsNotPublished(policy, header);
  policy.inputs = {file};
  PENTIMENTO_ASSIGN(BoundPolicy bound, Bind(std::move(policy)));
  TableCheck check(std::move(bound), checked);
  PENTIMENTO_RETURN_IF_ERROR(check.Read(header, progress));
  for (const GuaranteePolicy& guarantee : check.bound().policy.guarantees)
    checked.guarantees.push_back(std::visit([&](const auto& one) { return check.Verify(one); }, guarantee));
  return checked;
}

}  // namespace pentimento
