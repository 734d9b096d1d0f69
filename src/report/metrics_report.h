// Metrics for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ratio.h"
#include "utility/class_sizes.h"
#include "utility/column_view.h"
#include "utility/living.h"
#include "utility/metrics.h"

namespace pentimento {

// With two decimals; "-" where there is none.
std::string NumberOrDash(std::optional<double> number);
// A ratio of at most 1 with two decimals, "99.98 %", cut off and not rounded: only what is exactly 1 is "100 %".
std::string PercentText(Ratio ratio);
// "  rows    1,234   and what that means": how every line of a report looks.
std::string MetricLine(std::string_view name, std::string_view value, std::string_view remark);
// The metrics of a release in two tables: the sizes of its classes.
std::string ClassesText(const Metrics& metrics);
// A line per metric, each indented by two blanks and explained in a few words.
std::string MetricsText(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers);
// A JSON object.
std::string MetricsJson(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers);
// A JSON object; null where nobody has counted.
std::string LivingJson(const std::optional<LivingCounts>& living);
// JSON arrays: the classes by their size; what became of each quasi-identifier.
std::string ClassSizesJson(const std::vector<SizeBin>& sizes);
std::string ColumnsJson(const std::vector<ColumnView>& columns);

}  // namespace pentimento
