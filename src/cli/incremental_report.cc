#include "cli/incremental_report.h"

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExplanation =
    "  refined: groups of the release before whose cases have smaller boxes now\n"
    "  NCP:     share of the detail that is gone, in percent\n"
    "  safe:    share of the cases that at least k - 1 others equal, whichever of the releases so far are laid side "
    "by side\n"
    "  anew:    the same, had everybody so far been grouped from scratch each time, without a memory of what went "
    "out\n";

std::string Line(std::string_view release, std::string_view kind, const IncrementalReading& reading,
                 std::string_view refined) {
  return fmt::format("  {:<20}{:<6}{:>12}{:>10}{:>9}{:>16}{:>8}{:>8.2f}{:>10}\n", release, kind,
                     WithCommas(reading.metrics.rows), WithCommas(reading.metrics.classes), refined,
                     WithCommas(static_cast<std::uint64_t>(reading.metrics.discernibility)),
                     NumberOrDash(reading.metrics.c_avg), reading.metrics.ncp_percent, PercentText(reading.safe));
}

Json ReadingJson(const IncrementalReading& reading, const std::vector<std::string>& quasi_identifiers) {
  return {{"metrics", Json::parse(MetricsJson(reading.metrics, quasi_identifiers))},
          {"groups_refined", reading.groups_refined},
          {"safe_ratio", static_cast<double>(reading.safe.num) / static_cast<double>(reading.safe.den)},
          {"safe", PercentText(reading.safe)},
          {"unsafe_cases", reading.unsafe},
          {"cases_alone", reading.alone},
          {"tried_every_set", reading.tried_every_set}};
}

}  // namespace

std::string IncrementalText(const MeasuredIncremental& measured) {
  const std::uint64_t k = measured.releases.back().k;
  std::string text = fmt::format("{} (incremental {}-anonymity, {} {})\n\n", measured.series, k,
                                 measured.releases.size(), measured.releases.size() == 1 ? "release" : "releases");
  text += fmt::format("  {:<26}{:>12}{:>10}{:>9}{:>16}{:>8}{:>8}{:>10}\n", "release", "rows", "classes", "refined",
                      "discernibility", "C_AVG", "NCP", "safe");
  bool rows_differ = false;
  for (std::size_t i = 0; i < measured.releases.size(); ++i) {
    const MeasuredIncrementalRelease& release = measured.releases[i];
    text += Line(release.release, "", release.published, i == 0 ? "" : WithCommas(release.published.groups_refined));
    text += Line("", "anew", release.anew, "");
    rows_differ = rows_differ || release.published.metrics.rows != release.anew.metrics.rows;
  }
  text += fmt::format("\n{}", kExplanation);
  if (!measured.releases.back().anew.tried_every_set) {
    text += fmt::format(
        "  note: of more than {} releases only each, each two and all together were laid side by side for 'anew', "
        "which "
        "may\n        be less safe than it says.\n",
        EverySet::kMostReleases);
  }
  if (rows_differ) {
    text +=
        "  note: the originals do not have as many rows as the releases have cases. Rows of people who came back may "
        "be "
        "why;\n        otherwise, are these the originals of this series?\n";
  }
  return text;
}

std::string IncrementalJson(const MeasuredIncremental& measured) {
  Json releases = Json::array();
  for (const MeasuredIncrementalRelease& release : measured.releases) {
    releases.push_back({{"release", release.release},
                        {"k", release.k},
                        {"changes_only", release.changes_only},
                        {"published", ReadingJson(release.published, measured.quasi_identifiers)},
                        {"anew", ReadingJson(release.anew, measured.quasi_identifiers)}});
  }
  const Json json = {{"series", measured.series}, {"releases", std::move(releases)}};
  return JsonText(json);
}

}  // namespace pentimento
