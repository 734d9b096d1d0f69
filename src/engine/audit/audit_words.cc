// What an audit found, on the screen and as JSON.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "engine/audit/audit.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

std::string WitnessText(const RowWitness& witness) {
  return fmt::format(
      "{}: {} {}{}", witness.release + "/" + witness.file, Plural(witness.rows.size(), "row", "rows"),
      fmt::join(witness.rows, ", "),
      witness.of > witness.rows.size() ? fmt::format(" and {} more", witness.of - witness.rows.size()) : "");
}

std::string FindingText(const Finding& finding) {
  std::string text = fmt::format("  {} {}{}\n      {}\n", CodeOf(finding.attack), NameOf(finding.kind),
                                 finding.has_draft ? " (with the draft)" : "", finding.sentence);
  if (!finding.broken.empty()) {
    std::vector<std::string> broken;
    for (const BrokenPromise& one : finding.broken) broken.push_back(fmt::format("'{}' ({})", one.release, one.what));
    text += fmt::format("      breaks what was promised: {}\n", fmt::join(broken, ", "));
  }
  if (!finding.witness.empty()) {
    std::vector<std::string> rows;
    for (const RowWitness& one : finding.witness) rows.push_back(WitnessText(one));
    text += fmt::format("      for example: {}\n", fmt::join(rows, "; "));
  }
  text += fmt::format("      would have prevented it: {}\n", finding.prevention);
  return text;
}

std::string InferenceText(const ShownInference& shown) {
  std::string text = fmt::format("\ninference table of {}\n", QuotedNames(shown.releases));
  std::vector<std::vector<std::string>> lines = {{"row"}};
  lines.front().insert(lines.front().end(), shown.quasi_identifiers.begin(), shown.quasi_identifiers.end());
  lines.front().emplace_back("cases");
  for (const InferenceRow& row : shown.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line.push_back(fmt::format("{}:{}", row.release, row.rows.front()));
    line.insert(line.end(), row.labels.begin(), row.labels.end());
    line.push_back(std::to_string(row.cases));
  }
  std::vector<std::size_t> width(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string row = " ";
    for (std::size_t i = 0; i < line.size(); ++i) row += fmt::format(" {:<{}}", line[i], width[i]);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  if (shown.contradictory > 0)
    text += fmt::format("  {} more {} no box: those of the releases have nothing in common\n", shown.contradictory,
                        Plural(shown.contradictory, "case has", "cases have"));
  return text;
}

std::string ReportText(const AttackReport& report) {
  std::string text =
      fmt::format("  {} {:<26} {}\n", CodeOf(report.attack), InWords(report.attack), NameOf(report.state));
  for (const std::string& reason : report.reasons) text += fmt::format("       {}\n", reason);
  return text;
}

Json FindingJson(const Finding& finding) {
  Json witness = Json::array(), broken = Json::array();
  for (const RowWitness& one : finding.witness)
    witness.push_back({{"release", one.release}, {"file", one.file}, {"rows", one.rows}, {"of", one.of}});
  for (const BrokenPromise& one : finding.broken) broken.push_back({{"release", one.release}, {"what", one.what}});
  return {{"attack", CodeOf(finding.attack)}, {"finding", NameOf(finding.kind)},
          {"releases", finding.releases},     {"column", finding.column.empty() ? Json() : Json(finding.column)},
          {"people", finding.people},         {"certainty", NameOf(finding.certainty)},
          {"witness", std::move(witness)},    {"broken", std::move(broken)},
          {"sentence", finding.sentence},     {"prevention", finding.prevention},
          {"with_draft", finding.has_draft}};
}

Json ReportJson(const AttackReport& report) {
  Json numbers = Json::object();
  for (const AttackNumber& number : report.numbers) {
    if (!number.fraction.empty()) {
      numbers[number.name] = number.fraction;
    } else {
      numbers[number.name] = number.number ? Json(*number.number) : Json();
    }
  }
  return {{"attack", CodeOf(report.attack)},
          {"name", InWords(report.attack)},
          {"state", NameOf(report.state)},
          {"reasons", report.reasons},
          {"numbers", report.state == AttackState::kDoesNotApply ? Json() : std::move(numbers)}};
}

Json SummaryJson(const AuditedSummary& release) {
  Json unread = Json::array();
  for (const UnreadColumn& one : release.unread)
    unread.push_back({{"column", one.column}, {"labels", one.labels}, {"rows", one.rows}});
  return {{"release", release.name},
          {"source", release.source},
          {"form", release.form},
          {"draft", release.is_draft},
          {"rows", release.rows},
          {"classes", release.classes},
          {"k", release.k == 0 ? Json() : Json(release.k)},
          {"people", release.people ? Json(*release.people) : Json()},
          {"unread", std::move(unread)}};
}

Json InferenceJson(const ShownInference& shown) {
  Json rows = Json::array();
  for (const InferenceRow& row : shown.rows)
    rows.push_back({{"release", row.release}, {"row", row.rows.front()}, {"labels", row.labels}, {"cases", row.cases}});
  return {{"releases", shown.releases},
          {"quasi_identifiers", shown.quasi_identifiers},
          {"rows", std::move(rows)},
          {"contradictory", shown.contradictory}};
}

}  // namespace

std::string AuditInWords(const AuditOutcome& outcome) {
  std::string text;
  for (const AuditedSummary& release : outcome.releases) {
    text +=
        fmt::format("{}{}: {} {} in {} {}{}\n", release.name, release.is_draft ? " (draft)" : "", release.rows,
                    Plural(release.rows, "row", "rows"), release.classes, Plural(release.classes, "class", "classes"),
                    release.k > 0 ? fmt::format(", promises k = {}", release.k) : "");
  }
  text += fmt::format("\n{}\n", outcome.findings.empty()
                                    ? "nothing was found"
                                    : fmt::format("{} {}", outcome.findings.size(),
                                                  Plural(outcome.findings.size(), "finding", "findings")));
  for (const Finding& finding : outcome.findings) text += FindingText(finding);
  text += "\nattacks\n";
  for (const AttackReport& report : outcome.attacks) text += ReportText(report);
  if (outcome.guesses) {
    text += fmt::format("\nof the certain values {} are right, {} are wrong, {} are not in the truth\n",
                        outcome.guesses->right, outcome.guesses->wrong, outcome.guesses->untold);
  }
  for (const ShownInference& shown : outcome.inference) text += InferenceText(shown);
  return text;
}

std::string AuditAsJson(const AuditOutcome& outcome, bool fails) {
  Json releases = Json::array(), attacks = Json::array(), findings = Json::array(), inference = Json::array();
  for (const AuditedSummary& release : outcome.releases) releases.push_back(SummaryJson(release));
  for (const AttackReport& report : outcome.attacks) attacks.push_back(ReportJson(report));
  for (const Finding& finding : outcome.findings) findings.push_back(FindingJson(finding));
  for (const ShownInference& shown : outcome.inference) inference.push_back(InferenceJson(shown));
  const Json json = {{"releases", std::move(releases)},
                     {"people", outcome.people ? Json(*outcome.people) : Json()},
                     {"k", outcome.question.k ? Json(*outcome.question.k) : Json()},
                     {"alpha", outcome.question.alpha ? Json(ToString(*outcome.question.alpha)) : Json()},
                     {"fails", fails},
                     {"findings", std::move(findings)},
                     {"attacks", std::move(attacks)},
                     {"guesses", outcome.guesses ? Json({{"right", outcome.guesses->right},
                                                         {"wrong", outcome.guesses->wrong},
                                                         {"untold", outcome.guesses->untold}})
                                                 : Json()},
                     {"inference", outcome.question.shows_inference ? Json(std::move(inference)) : Json()},
                     {"notes", outcome.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pentimento
