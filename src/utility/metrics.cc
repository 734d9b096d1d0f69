#include "utility/metrics.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kGroupsPerTask = 4096;

std::vector<std::uint64_t> RowsPerGroup(const Classes& draft) {
  std::vector<std::uint64_t> rows(draft.count());
  for (const ClassNumber group : draft.of_row) ++rows[group];
  return rows;
}

struct HashedGroup {
  std::uint64_t hash = 0;
  ClassNumber group = 0;
};

// By group the number of its class: groups with equal boxes are one. The order of the classes is of no meaning, and
// groups without rows have no class.
struct ClassesOfGroups {
  std::vector<std::uint32_t> of_group;
  std::vector<std::uint64_t> rows;  // by class
};

ClassesOfGroups FindClasses(const Classes& draft, std::span<const std::uint64_t> rows_per_group) {
  std::vector<HashedGroup> groups;
  for (std::size_t g = 0; g < rows_per_group.size(); ++g) {
    const auto group = static_cast<ClassNumber>(g);
    if (rows_per_group[g] > 0) groups.push_back({Checksum(std::as_bytes(draft.box(group))), group});
  }
  ParallelSort(groups.begin(), groups.end(), [&](const HashedGroup& a, const HashedGroup& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    return std::ranges::lexicographical_compare(draft.box(a.group), draft.box(b.group));
  });
  ClassesOfGroups classes{std::vector<std::uint32_t>(rows_per_group.size()), {}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool same_as_last = i > 0 && groups[i].hash == groups[i - 1].hash &&
                              std::ranges::equal(draft.box(groups[i].group), draft.box(groups[i - 1].group));
    if (!same_as_last) classes.rows.push_back(0);
    classes.rows.back() += rows_per_group[groups[i].group];
    classes.of_group[groups[i].group] = static_cast<std::uint32_t>(classes.rows.size() - 1);
  }
  return classes;
}

struct ColumnLoss {
  double width = 0;          // sum over the rows
  std::uint64_t depths = 0;  // sum over the rows
};

// Rows of one group lose the same, so the loss is asked for once per group. The parts are added up in a fixed order:
// the sum of doubles depends on the order, and the report must not depend on the number of threads.
ColumnLoss LossOfColumn(const Classes& draft, std::span<const std::uint64_t> rows_per_group, std::size_t column,
                        const Domain& domain) {
  const std::size_t tasks = (rows_per_group.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  std::vector<ColumnLoss> parts(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task) {
      const std::size_t last = std::min(rows_per_group.size(), (task + 1) * kGroupsPerTask);
      for (std::size_t g = task * kGroupsPerTask; g < last; ++g) {
        if (rows_per_group[g] == 0) continue;
        const Interval codes = draft.boxes[g * draft.columns + column];
        parts[task].width += static_cast<double>(rows_per_group[g]) * domain.RelativeWidth(codes);
        parts[task].depths += rows_per_group[g] * domain.Depth(codes);
      }
    }
  });
  ColumnLoss loss;
  for (const ColumnLoss& part : parts) {
    loss.width += part.width;
    loss.depths += part.depths;
  }
  return loss;
}

// What the sizes of the classes say; none of them is empty.
void MeasureSizes(std::span<const std::uint64_t> rows_per_class, std::uint64_t k, Metrics& metrics) {
  metrics.classes = rows_per_class.size();
  metrics.smallest_class = std::ranges::min(rows_per_class);
  metrics.largest_class = std::ranges::max(rows_per_class);
  for (const std::uint64_t size : rows_per_class) {
    metrics.discernibility += static_cast<decltype(metrics.discernibility)>(size) * size;
    metrics.alone += size == 1 ? 1 : 0;
  }
  if (k > 0) {
    metrics.c_avg = static_cast<double>(metrics.rows) / (static_cast<double>(metrics.classes) * static_cast<double>(k));
  }
}

Metrics MeasureDraft(const Classes& draft, std::span<const Domain> domains,
                     std::span<const std::uint64_t> rows_per_group, std::span<const std::uint64_t> rows_per_class,
                     std::uint64_t k) {
  Metrics metrics;
  metrics.rows = draft.of_row.size();
  metrics.ncp_percent_by_column.resize(draft.columns);
  if (metrics.rows == 0) return metrics;
  MeasureSizes(rows_per_class, k, metrics);
  const auto rows = static_cast<double>(metrics.rows);
  for (std::size_t c = 0; c < draft.columns; ++c) {
    const ColumnLoss loss = LossOfColumn(draft, rows_per_group, c, domains[c]);
    metrics.ncp_percent_by_column[c] = 100 * loss.width / rows;
    metrics.ncp_percent += metrics.ncp_percent_by_column[c] / static_cast<double>(draft.columns);
    if (domains[c].is_numeric()) metrics.numeric_distortion += loss.width / rows;
    metrics.label_depths += loss.depths;
  }
  return metrics;
}

}  // namespace

Metrics MeasureClasses(std::span<const ClassNumber> class_of_row, std::uint32_t classes, std::size_t columns,
                       std::uint64_t k) {
  Metrics metrics;
  metrics.rows = class_of_row.size();
  metrics.ncp_percent_by_column.resize(columns);
  metrics.categorical_distortion = 0;
  if (metrics.rows == 0) return metrics;
  std::vector<std::uint64_t> sizes(classes);
  for (const ClassNumber number : class_of_row) ++sizes[number];
  std::erase(sizes, 0U);
  MeasureSizes(sizes, k, metrics);
  return metrics;
}

Metrics Measure(const Classes& draft, std::span<const Domain> domains, std::uint64_t k) {
  const std::vector<std::uint64_t> rows_per_group = RowsPerGroup(draft);
  return MeasureDraft(draft, domains, rows_per_group, FindClasses(draft, rows_per_group).rows, k);
}

void TellAlone(Metrics& metrics, const Classes& draft, const Persons& persons) {
  if (persons.one_row_each()) return;
  const ClassesOfGroups classes = FindClasses(draft, RowsPerGroup(draft));
  constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> person_of_class(classes.rows.size(), kNobody);
  std::vector<std::uint8_t> has_several(classes.rows.size());
  for (std::size_t row = 0; row < draft.of_row.size(); ++row) {
    const std::uint32_t of_row = classes.of_group[draft.of_row[row]];
    std::uint32_t& person = person_of_class[of_row];
    if (person == kNobody) person = persons.person_of_row[row];
    if (person != persons.person_of_row[row]) has_several[of_row] = 1;
  }
  std::vector<std::uint8_t> is_alone(persons.count);
  for (std::size_t c = 0; c < person_of_class.size(); ++c) {
    if (has_several[c] == 0) is_alone[person_of_class[c]] = 1;
  }
  metrics.alone = static_cast<std::uint64_t>(std::ranges::count(is_alone, 1));
}

SingleValued CountSingleValued(const Classes& draft, const CodeColumn& values, std::optional<Code> no_value) {
  constexpr Code kNone = std::numeric_limits<Code>::max(), kSeveral = kNone - 1;
  const ClassesOfGroups classes = FindClasses(draft, RowsPerGroup(draft));
  std::vector<Code> value_of_class(classes.rows.size(), kNone);
  std::vector<std::uint64_t> rows(classes.rows.size());
  values.Visit([&](auto codes) {
    for (std::size_t row = 0; row < draft.of_row.size(); ++row) {
      if (codes[row] == no_value) continue;
      const std::uint32_t of_row = classes.of_group[draft.of_row[row]];
      Code& value = value_of_class[of_row];
      if (value == kNone) value = codes[row];
      if (value != codes[row]) value = kSeveral;
      ++rows[of_row];
    }
  });
  SingleValued found;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (value_of_class[c] >= kSeveral) continue;
    ++found.classes;
    found.rows += rows[c];
  }
  return found;
}

std::uint64_t DepthsOfValues(std::span<const CodeColumn> values, std::span<const Domain> domains, std::size_t rows) {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < domains.size(); ++c) {
    if (domains[c].is_numeric()) continue;
    std::vector<std::uint32_t> depth_of_code;
    for (Code code = 0; code < domains[c].size(); ++code) depth_of_code.push_back(domains[c].Depth({code, code}));
    values[c].Visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) sum += depth_of_code[codes[row]];
    });
  }
  return sum;
}

void TellDistortion(Metrics& metrics, std::uint64_t depths_of_values) {
  if (depths_of_values < metrics.label_depths) return;
  const auto climbed = static_cast<double>(depths_of_values - metrics.label_depths);
  metrics.categorical_distortion = metrics.rows == 0 ? 0 : climbed / static_cast<double>(metrics.rows);
}

Metrics MeasureNumbered(const Classes& draft, std::span<const Domain> domains, std::uint64_t k) {
  const std::vector<std::uint64_t> rows_per_group = RowsPerGroup(draft);
  std::vector<std::uint64_t> sizes = rows_per_group;
  std::erase(sizes, 0U);
  return MeasureDraft(draft, domains, rows_per_group, sizes, k);
}

}  // namespace pentimento
