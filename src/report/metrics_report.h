// Metrics for people and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "utility/metrics.h"

namespace pentimento {

// 1234567 as "1,234,567".
std::string WithCommas(std::uint64_t number);
// A line per metric, each indented by two blanks and explained in a few words.
std::string MetricsText(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers);
// A JSON object.
std::string MetricsJson(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers);

}  // namespace pentimento
