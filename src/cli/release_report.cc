#include "cli/release_report.h"

#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/global_report.h"
#include "cli/output.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "ledger/printable.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

// Who covers what, where somebody stands in an earlier release as well.
std::string CoverOf(const ReleaseOutcome& outcome) {
  if (outcome.global)
    return fmt::format(
        "What it told of them is not on the\n        account of '{}': the global guarantee covers its own "
        "series alone.",
        outcome.global->series);
  if (outcome.series)
    return fmt::format(
        "The series '{}' promises nothing\n        about it: its guarantee covers its own releases; whoever holds both "
        "can compare them.",
        outcome.series->series);
  if (outcome.join)
    return "Whoever holds both can compare them;\n        the join with it is covered only where a guarantee names it.";
  return fmt::format("{} covers each release alone;\n        whoever holds both can compare them.",
                     outcome.sensitive ? "(alpha,k)-anonymity" : "k-anonymity");
}

std::string NameOf(const Overlap& overlap) {
  return overlap.series.empty() ? fmt::format("release '{}'", overlap.release)
                                : fmt::format("series '{}'", overlap.series);
}

std::string Counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", WithCommas(count), Plural(count, one, several));
}

std::string Notes(const ReleaseOutcome& outcome) {
  std::string text;
  if (!outcome.dropped.empty()) {
    // These names come from the data: they may hold line breaks, or escape sequences for a terminal.
    text += fmt::format("  note: not published, because the policy does not name them: {}\n",
                        Printable(fmt::format("{}", fmt::join(outcome.dropped, ", "))));
  }
  for (const std::string& note : outcome.remarks.notes) text += fmt::format("  note: {}\n", note);
  if (outcome.series && outcome.series->newcomers_among_few.value_or(0) > 0) {
    const std::uint64_t few = *outcome.series->newcomers_among_few;
    text += fmt::format(
        "  note: {} in a class with fewer than {} people who are still there. The others in it have left, and\n"
        "        whoever sees their empty rows can set them aside. Hold newcomers back until more of them come "
        "together,\n        or begin a series with another name.\n",
        Counted(few, "newcomer is", "newcomers are"), outcome.k);
  }
  for (const Overlap& overlap : outcome.overlaps) {
    text += fmt::format("  note: {} of these people {} also in the {}. {}\n", WithCommas(overlap.people),
                        Plural(overlap.people, "is", "are"), NameOf(overlap), CoverOf(outcome));
  }
  return text;
}

// Of a release that holds only changes nothing but its rows is known.
Json MetricsOf(const ReleaseOutcome& outcome) {
  if (outcome.series && outcome.series->changes_only) return {{"rows", outcome.metrics.rows}};
  return Json::parse(MetricsJson(outcome.metrics, outcome.quasi_identifiers));
}

void AddIncrementalJson(const IncrementalOutcome& series, const ReleaseOutcome& outcome, Json& json) {
  json["guarantees"][0]["type"] = "incremental-k-anonymity";
  json["guarantees"][0]["series"] = series.series;
  json["guarantees"][0]["counts"] = "cases";
  json["seconds"]["load"] = outcome.seconds.load;
  json["seconds"]["save"] = outcome.seconds.save;
  json["series"] = {{"name", series.series},
                    {"number", series.number},
                    {"members", series.members},
                    {"newcomers", series.newcomers},
                    {"withdrawn", series.withdrawn},
                    {"left_out", series.left_out},
                    {"groups_joined", series.groups_joined},
                    {"groups_refined", series.groups_refined},
                    {"arrivals", series.hides_arrivals ? "hidden" : "shown"},
                    {"newcomers_among_few", nullptr},
                    {"changes_only", series.changes_only}};
  if (series.newcomers_among_few) json["series"]["newcomers_among_few"] = *series.newcomers_among_few;
}

const char* FormName(PublishForm form) { return form == PublishForm::kTwoTables ? "two-tables" : "generalized"; }

void AddAlphaKJson(const AlphaKOutcome& sensitive, Json& json) {
  json["guarantees"] = Json::parse(sensitive.guarantees_json);
  json["form"] = FormName(sensitive.form);
  json["method"] = sensitive.method;
  json["largest_share"] = ToString(sensitive.largest_share);
}

std::string SensitiveText(const AlphaKOutcome& sensitive, bool dry_run) {
  std::string text;
  for (const std::string& promise : sensitive.promises) text += fmt::format("  {}\n", promise);
  text += fmt::format("  checked from what {} published; classes are made by {}\n", dry_run ? "would be" : "is",
                      sensitive.method);
  if (sensitive.form == PublishForm::kTwoTables)
    text += "  the two tables must not be joined row by row: see the remark in datapackage.json\n";
  return text + "\n";
}

// Of two tables nothing but the sizes of the classes is a loss.
std::string LossText(const ReleaseOutcome& outcome) {
  const bool two_tables = (outcome.sensitive && outcome.sensitive->form == PublishForm::kTwoTables) ||
                          (outcome.global && outcome.global->form == PublishForm::kTwoTables);
  std::string text =
      two_tables ? ClassesText(outcome.metrics) : MetricsText(outcome.metrics, outcome.quasi_identifiers);
  if (outcome.sensitive) {
    // The largest share may be that of a set, whose own limit may be above alpha.
    text += MetricLine("largest share", ToString(outcome.sensitive->largest_share),
                       fmt::format("of a class has {}; alpha is {}{}",
                                   outcome.sensitive->limits_sets ? "the same limited value, or one of a limited set"
                                                                  : "the same limited value",
                                   ToString(outcome.sensitive->alpha),
                                   outcome.sensitive->limits_sets ? ", and sets have limits of their own" : ""));
  }
  return text;
}

std::string IncrementalText(const IncrementalOutcome& series) {
  std::string text = fmt::format("  release {} of the series '{}': {}", series.number, series.series,
                                 Counted(series.members, "case", "cases"));
  text += fmt::format(", {} of them new", WithCommas(series.newcomers));
  if (series.withdrawn > 0) text += fmt::format(", {} withdrawn now", WithCommas(series.withdrawn));
  text += "\n";
  // At first everybody is new, and everything is refined that can be.
  if (series.number > 1) {
    text +=
        fmt::format("  {} got new members, {} of them {} refined\n", Counted(series.groups_joined, "group", "groups"),
                    WithCommas(series.groups_refined), series.groups_refined == 1 ? "was" : "were");
  }
  if (series.hides_arrivals) {
    text +=
        "  arrivals are hidden: a group is refined only where every part has, of the people of each release, nobody or "
        "k\n";
  }
  if (series.left_out > 0)
    text += fmt::format("  {} left out, because these people have a newer one\n",
                        Counted(series.left_out, "older row was", "older rows were"));
  if (series.kept_k > 0)
    text += fmt::format("  note: an earlier release promised k = {} over the whole series, so that still holds\n",
                        series.kept_k);
  if (series.changes_only) text += "  only new and refined rows are published\n";
  return text + "\n";
}

}  // namespace

std::string ReleaseText(const ReleaseOutcome& outcome) {
  const StepSeconds& seconds = outcome.seconds;
  std::string text =
      outcome.dry_run ? fmt::format("{}: could be published as it is (dry run: nothing was written)\n", outcome.release)
                      : fmt::format("{}: published in {}\n", outcome.release, outcome.folder.string());
  if (outcome.series) {
    text += fmt::format(
        "  in this release, and wherever boxes of it and of the earlier ones are intersected, every combination of\n  "
        "{}\n"
        "  is shared by at least {} cases; checked from what {} published\n\n",
        fmt::join(outcome.quasi_identifiers, ", "), outcome.k, outcome.dry_run ? "would be" : "is");
    text += IncrementalText(*outcome.series);
  } else if (outcome.join) {
    for (const std::string& promise : outcome.join->promises) text += fmt::format("  {}\n", promise);
    text += fmt::format("  checked from what {} published, after {}\n\n", outcome.dry_run ? "would be" : "is",
                        Counted(outcome.join->specializations, "specialization", "specializations"));
  } else if (outcome.global) {
    text += GlobalText(*outcome.global, outcome.dry_run);
  } else if (outcome.sensitive) {
    text += SensitiveText(*outcome.sensitive, outcome.dry_run);
  } else {
    text += fmt::format(
        "  every combination of {}\n  is shared by at least {} {}; checked from what {} published{}\n\n",
        fmt::join(outcome.quasi_identifiers, ", "), outcome.k, outcome.counts_persons ? "people" : "rows",
        outcome.dry_run ? "would be" : "is",
        outcome.specializations ? ", after " + Counted(*outcome.specializations, "specialization", "specializations")
                                : "");
  }
  if (outcome.series && outcome.series->changes_only) {
    text += fmt::format("  rows                {:>10}\n", WithCommas(outcome.metrics.rows));
  } else {
    text += LossText(outcome);
  }
  const std::string notes = Notes(outcome);
  if (!notes.empty()) text += "\n" + notes;
  text += fmt::format(
      "\n  {:.2f} s: reading {:.2f}, partitioning {:.2f}, verifying {:.2f}, writing {:.2f}, recording {:.2f}\n",
      seconds.load + seconds.read + seconds.partition + seconds.verify + seconds.save + seconds.write + seconds.record,
      seconds.load + seconds.read, seconds.partition, seconds.verify, seconds.save + seconds.write, seconds.record);
  return text;
}

std::string ReleaseJson(const ReleaseOutcome& outcome) {
  const StepSeconds& seconds = outcome.seconds;
  Json json = {
      {"release", outcome.release},
      {"published", !outcome.dry_run},
      {"dry_run", outcome.dry_run},
      {"guarantees",
       Json::array(
           {{{"type", "k-anonymity"}, {"k", outcome.k}, {"counts", outcome.counts_persons ? "persons" : "rows"}}})},
      {"quasi_identifiers", outcome.quasi_identifiers},
      {"metrics", MetricsOf(outcome)},
      {"dropped_columns", outcome.dropped},
      {"overlaps", Json::array()},
      {"recovered", outcome.recovered},
      {"notes", outcome.remarks.notes},
      {"warnings", outcome.remarks.warnings},
      {"seconds",
       {{"read", seconds.read},
        {"partition", seconds.partition},
        {"verify", seconds.verify},
        {"write", seconds.write},
        {"record", seconds.record}}}};
  if (outcome.counts_persons) json["persons"] = outcome.persons;
  if (outcome.series) AddIncrementalJson(*outcome.series, outcome, json);
  if (outcome.join) {
    json["guarantees"] = Json::parse(outcome.join->guarantees_json);
    if (!outcome.join->one_to_one_json.empty()) json["one_to_one"] = Json::parse(outcome.join->one_to_one_json);
    json["specializations"] = outcome.join->specializations;
    json["seconds"]["load"] = outcome.seconds.load;
  }
  if (outcome.specializations) {
    json["method"] = "specialize";
    json["specializations"] = *outcome.specializations;
  }
  if (outcome.sensitive) AddAlphaKJson(*outcome.sensitive, json);
  if (outcome.global) {
    json.update(Json::parse(GlobalJson(*outcome.global)));
    json["seconds"]["load"] = seconds.load;
    json["seconds"]["save"] = seconds.save;
    json["seconds"]["save_beside"] = seconds.save_beside;
  }
  for (const Overlap& overlap : outcome.overlaps) {
    json["overlaps"].push_back({{"release", overlap.release}, {"people", overlap.people}});
    if (!overlap.series.empty()) json["overlaps"].back()["series"] = overlap.series;
  }
  if (!outcome.dry_run) {
    json["folder"] = outcome.folder.string();
    json["files"] = outcome.files;
  }
  return JsonText(json);
}

}  // namespace pentimento
