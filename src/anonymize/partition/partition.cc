#include "anonymize/partition/partition.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "anonymize/partition/partition_task.h"
#include "anonymize/partition/table_limits.h"
#include "base/check.h"

namespace pentimento {
namespace {

using partition::TableLimits;
using partition::Task;

Classes RunFitting(const Task& task) {
  const bool has_persons = task.table.persons && !task.table.persons->one_row_each();
  if (task.limits == nullptr) return has_persons ? partition::RunPersons(task) : partition::RunRows(task);
  return has_persons ? partition::RunLimitedPersons(task) : partition::RunLimitedRows(task);
}

// Nothing where no value is limited.
Result<std::optional<TableLimits>> CheckFeasible(const EncodedTable& table, std::span<const Domain> domains,
                                                 PartitionOptions& options) {
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t persons = table.persons ? table.persons->count : table.rows;
  options.k = std::max<std::uint64_t>(options.k, 1);
  if (persons < options.k) {
    return Error{
        ErrorCode::kRefused,
        fmt::format(
            "the table has {} {}, but every class needs {}; gather more rows or lower k. Nothing was published.",
            persons, table.persons ? "persons" : "rows", options.k)};
  }
  if (options.signatures == nullptr) return std::optional<TableLimits>();
  PENTIMENTO_ASSIGN(TableLimits limits, partition::LimitsOf(table, *options.signatures, options.k));
  options.k = limits.rule.fewest_persons();
  return std::optional(std::move(limits));
}

}  // namespace

bool partition::Task::CanBoxesBeEqual() const {
  return std::any_of(domains.begin(), domains.end(), [&](const Domain& domain) {
    return domain.missing_code().has_value() || !domain.is_cut_anywhere(options.form);
  });
}

Result<Classes> AnonymizeByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                     const PartitionOptions& options) {
  Task task{table, domains, options};
  task.options.wants_boxes = true;
  PENTIMENTO_ASSIGN(std::optional<TableLimits> limits, CheckFeasible(table, domains, task.options));
  if (domains.empty()) return Classes{.columns = 0, .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows, 0)};
  if (limits) task.limits = &*limits;
  Classes draft = RunFitting(task);
  // Where somebody has several rows, two classes that keep the limits need not keep them as one. This is rare, and can
  // no longer happen where everybody counts as having as many rows as anybody.
  if (limits && !limits->rows_of_person.empty() && task.CanBoxesBeEqual() &&
      !partition::AllKeep(*limits, table, *options.signatures, draft.of_row, draft.count())) {
    limits->TreatAllAlike();
    return RunFitting(task);
  }
  return draft;
}

Classes AnonymizePartsByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                  const PartitionOptions& options, PartsOfTable parts) {
  Check(options.signatures == nullptr && (!table.persons || table.persons->one_row_each()),
        "parts are cut together where every row is a person, without limits");
  Check(!domains.empty() && !parts.ends.empty() && parts.order.size() == table.rows, "parts of the rows of a table");
  Task task{table, domains, options};
  task.options.wants_boxes = true;
  task.parts = parts;
  return partition::RunRows(task);
}

Result<Classes> GroupByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                 const PartitionOptions& options) {
  Task task{table, domains, options};
  task.options.form = CategoryForm::kSets;
  task.options.boxes = BoxKind::kMembers;
  task.options.wants_boxes = false;
  PENTIMENTO_ASSIGN(std::optional<TableLimits> limits, CheckFeasible(table, domains, task.options));
  if (domains.empty()) return Classes{.of_row = std::vector<ClassNumber>(table.rows, 0)};
  if (limits) task.limits = &*limits;
  if (limits && options.bags) {
    Random random(*options.bags, "dealing");
    task.drawn = random.Numbers(table.rows);
  }
  return RunFitting(task);
}

}  // namespace pentimento
