#include "report/metrics_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/plural.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// "of 2 rows", "of 2 to 5 rows".
std::string ClassSizes(const Metrics& metrics) {
  const std::string most = WithCommas(metrics.largest_class);
  if (metrics.smallest_class == metrics.largest_class)
    return fmt::format("of {} {}", most, Plural(metrics.largest_class, "row", "rows"));
  return fmt::format("of {} to {} rows", WithCommas(metrics.smallest_class), most);
}

std::string SizesText(const Metrics& metrics, std::string_view what_they_share) {
  std::string text;
  text += MetricLine("rows", WithCommas(metrics.rows), "");
  text += MetricLine("classes", WithCommas(metrics.classes),
                     fmt::format("{} that {}", ClassSizes(metrics), what_they_share));
  if (metrics.alone > 0) {
    text +=
        MetricLine("alone", WithCommas(metrics.alone),
                   fmt::format("{} the only one in {} class: nothing hides {} among others",
                               Plural(metrics.alone, "person is", "people are"), Plural(metrics.alone, "the", "their"),
                               Plural(metrics.alone, "this person", "them")));
  }
  return text;
}

std::string SquaresText(const Metrics& metrics) {
  std::string text;
  text += MetricLine("discernibility", WithCommas(static_cast<std::uint64_t>(metrics.discernibility)),
                     "sum of squared class sizes");
  // Without a k there is no unit.
  if (metrics.c_avg)
    text += MetricLine("C_AVG", fmt::format("{:.2f}", *metrics.c_avg), "average class size, in units of k");
  return text;
}

// The three columns that lost most.
std::string WorstColumns(const Metrics& metrics, const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return metrics.ncp_percent_by_column[a] > metrics.ncp_percent_by_column[b];
  });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", names[order[i]], metrics.ncp_percent_by_column[order[i]]);
  }
  return text;
}

}  // namespace

std::string NumberOrDash(std::optional<double> number) { return number ? fmt::format("{:.2f}", *number) : "-"; }

std::string PercentText(Ratio ratio) {
  if (ratio == Ratio{1, 1}) return "100 %";
  __extension__ using Wide = unsigned __int128;
  const auto hundredths = static_cast<std::uint64_t>(Wide{ratio.num} * 10'000 / ratio.den);
  return fmt::format("{}.{:02} %", hundredths / 100, hundredths % 100);
}

std::string MetricLine(std::string_view name, std::string_view value, std::string_view remark) {
  return remark.empty() ? fmt::format("  {:<16}{:>14}\n", name, value)
                        : fmt::format("  {:<16}{:>14}   {}\n", name, value, remark);
}

std::string ClassesText(const Metrics& metrics) {
  return SizesText(metrics, "share their sensitive values") +
         MetricLine("NCP", "0.00 %", "of the detail is gone: quasi-identifiers are as they were") +
         SquaresText(metrics);
}

std::string MetricsText(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers) {
  return SizesText(metrics, "look alike") +
         MetricLine("NCP", fmt::format("{:.2f} %", metrics.ncp_percent),
                    fmt::format("of the detail is gone; most in {}", WorstColumns(metrics, quasi_identifiers))) +
         SquaresText(metrics) +
         MetricLine(
             "distortion",
             fmt::format("{} + {:.2f}", NumberOrDash(metrics.categorical_distortion), metrics.numeric_distortion),
             "per row: taxonomy levels climbed + share of numeric ranges");
}

std::string MetricsJson(const Metrics& metrics, const std::vector<std::string>& quasi_identifiers) {
  const auto or_null = [](std::optional<double> number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json by_column = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < quasi_identifiers.size(); ++i)
    by_column[quasi_identifiers[i]] = metrics.ncp_percent_by_column[i];
  const nlohmann::ordered_json json = {{"rows", metrics.rows},
                                       {"classes", metrics.classes},
                                       {"smallest_class", metrics.smallest_class},
                                       {"largest_class", metrics.largest_class},
                                       {"alone", metrics.alone},
                                       {"discernibility", static_cast<std::uint64_t>(metrics.discernibility)},
                                       {"c_avg", or_null(metrics.c_avg)},
                                       {"ncp_percent", metrics.ncp_percent},
                                       {"ncp_percent_by_column", by_column},
                                       {"categorical_distortion", or_null(metrics.categorical_distortion)},
                                       {"numeric_distortion", metrics.numeric_distortion}};
  return json.dump();
}

std::string LivingJson(const std::optional<LivingCounts>& living) {
  if (!living) return "null";
  return nlohmann::ordered_json{{"living", living->living},
                                {"withdrawn", living->withdrawn},
                                {"among_few", living->among_few},
                                {"fewest", living->fewest}}
      .dump();
}

std::string ClassSizesJson(const std::vector<SizeBin>& sizes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SizeBin& bin : sizes)
    json.push_back({{"from", bin.from}, {"to", bin.to}, {"classes", bin.classes}, {"rows", bin.rows}});
  return json.dump();
}

std::string ColumnsJson(const std::vector<ColumnView>& columns) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const ColumnView& column : columns) {
    Json widths = Json::object(), bins = Json::array();
    for (std::size_t i = 0; i < kLabelWidths; ++i) widths[kLabelWidthNames[i]] = column.rows_by_width[i];
    for (const ValueBin& bin : column.bins)
      bins.push_back({{"label", bin.label == kOtherValues ? Json() : Json(bin.label)},
                      {"before", bin.before ? Json(*bin.before) : Json()},
                      {"after", bin.after}});
    json.push_back({{"column", column.name},
                    {"numeric", column.is_numeric},
                    {"ncp_percent", column.ncp_percent},
                    {"labels", column.labels},
                    {"rows_by_width", std::move(widths)},
                    {"values", std::move(bins)},
                    {"other_values", column.other_labels}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pentimento
