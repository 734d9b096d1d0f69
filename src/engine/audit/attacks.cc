#include "engine/audit/attacks.h"

#include <fmt/core.h>

#include <algorithm>

namespace pentimento {

bool ValuesChange(const AuditQuestion& question, const AuditedRelease& release, const std::string& column) {
  const auto has = [&](const std::vector<std::string>& columns) {
    return std::ranges::find(columns, column) != columns.end();
  };
  if (has(question.change)) return true;
  if (has(question.stay)) return false;
  return !release.promise.global_series.empty();
}

std::vector<std::string> NamesOfLinked(const LinkedPeople& link, const std::vector<std::uint32_t>& places) {
  std::vector<std::string> names;
  for (const std::uint32_t place : places) names.push_back(link.common.releases[place].name);
  return names;
}

bool HasDraft(const AuditView& view, const LinkedPeople& link, const std::vector<std::uint32_t>& places) {
  return std::ranges::any_of(places, [&](std::uint32_t place) { return view.release(link, place).source.is_draft; });
}

std::vector<RowWitness> WitnessOfPerson(const AuditView& view, const LinkedPeople& link,
                                        const std::vector<std::uint32_t>& places, std::uint32_t person) {
  std::vector<RowWitness> witness;
  for (const std::uint32_t place : places) {
    const ClassNumber number = link.common.releases[place].class_of[person];
    const std::vector<ClassNumber>& of_class = link.releases[place].of_class;
    if (number == kNotInRelease || of_class.empty()) continue;
    std::vector<bool> is_wanted(of_class.size());
    for (std::size_t c = 0; c < of_class.size(); ++c) is_wanted[c] = of_class[c] == number;
    witness.push_back(WitnessRows(view.release(link, place), is_wanted));
  }
  return witness;
}

void TellLeftOut(const AuditView& view, const LinkedPeople& link, AttackReport& report) {
  for (const LeftOutRelease& left : link.left_out)
    report.reasons.push_back(fmt::format("'{}' is left out: {}", view.release(left.audited).name, left.why));
}

std::string WhyNobodyIsLinked(const AuditView& view) {
  if (view.audited.releases.size() < 2) return "it needs two releases of the same people";
  return "nobody can tell which rows of two releases are about the same person; name everybody's quasi-identifiers "
         "with --people, or a column that names people in every release with --key";
}

}  // namespace pentimento
