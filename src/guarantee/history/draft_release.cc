#include "guarantee/history/draft_release.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "guarantee/form/box_classes.h"

namespace pentimento {
namespace {

std::vector<ClassNumber> PublishedClassOfRow(const Draft& draft) {
  std::vector<ClassNumber> class_of_row = draft.classes.of_row;
  if (draft.is_two_tables()) return class_of_row;
  const std::vector<ClassId> class_of_group = ClassOfGroup(draft.classes);
  for (ClassNumber& number : class_of_row) number = class_of_group[number];
  return class_of_row;
}

// Somebody's rows, one after the other: people without rows have none.
struct RowsOfPeople {
  std::vector<std::size_t> begin;  // by person, and one more
  std::vector<std::uint32_t> row;
};

RowsOfPeople GatherRows(std::span<const std::uint32_t> person_of_row, std::uint32_t people) {
  RowsOfPeople rows{std::vector<std::size_t>(std::size_t{people} + 1),
                    std::vector<std::uint32_t>(person_of_row.size())};
  for (const std::uint32_t person : person_of_row) ++rows.begin[person + 1];
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  std::vector<std::size_t> next = rows.begin;
  for (std::uint32_t row = 0; row < person_of_row.size(); ++row) rows.row[next[person_of_row[row]]++] = row;
  return rows;
}

// The classes of people with several rows are numbered after all others.
void NumberSeveralRows(const RowsOfPeople& rows, std::span<const ClassNumber> class_of_row, CommonRelease& release) {
  std::map<std::vector<ClassNumber>, ClassNumber> kinds;
  for (std::uint32_t person = 0; person < release.class_of.size(); ++person) {
    if (rows.begin[person + 1] - rows.begin[person] < 2) continue;
    std::vector<ClassNumber> classes;
    for (std::size_t i = rows.begin[person]; i < rows.begin[person + 1]; ++i)
      classes.push_back(class_of_row[rows.row[i]]);
    std::ranges::sort(classes);
    const auto [kind, is_new] = kinds.try_emplace(std::move(classes), release.classes());
    if (is_new) release.rows.push_back(0);
    release.class_of[person] = kind->second;
    ++release.rows[kind->second];
  }
}

ValueBags BagsOf(const CommonRelease& release, std::span<const ClassNumber> class_of_row, const CodeColumn& column,
                 std::string name) {
  std::vector<std::pair<ClassNumber, Code>> cells;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) cells.emplace_back(class_of_row[row], column[row]);
  std::ranges::sort(cells);
  ValueBags bags;
  bags.column = std::move(name);
  std::size_t i = 0;
  for (ClassNumber number = 0; number < release.classes(); ++number) {
    bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
    for (; i < cells.size() && cells[i].first == number; ++i) {
      const bool is_new = bags.value.size() == bags.begin.back() || bags.value.back() != cells[i].second;
      if (is_new) bags.value.push_back(cells[i].second), bags.count.push_back(0);
      ++bags.count.back();
    }
  }
  bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
  return bags;
}

}  // namespace

CommonRelease ReleaseOfDraft(const Draft& draft, std::string name, std::uint32_t people,
                             const HistoryEvidence& evidence) {
  const std::vector<ClassNumber> class_of_row = PublishedClassOfRow(draft);
  const RowsOfPeople rows = GatherRows(evidence.person_of_row, people);
  CommonRelease release{std::move(name), std::vector<ClassNumber>(people, kNotInRelease),
                        std::vector<std::uint32_t>(draft.classes.count())};
  bool has_several = false;
  for (std::uint32_t person = 0; person < people; ++person) {
    const std::size_t count = rows.begin[person + 1] - rows.begin[person];
    has_several = has_several || count > 1;
    if (count != 1) continue;
    release.class_of[person] = class_of_row[rows.row[rows.begin[person]]];
    ++release.rows[release.class_of[person]];
  }
  if (has_several) {
    NumberSeveralRows(rows, class_of_row, release);
    return release;
  }
  for (std::size_t c = 0; c < evidence.sensitive.size(); ++c)
    release.values.push_back(BagsOf(release, class_of_row, *evidence.sensitive[c], evidence.sensitive_names[c]));
  return release;
}

}  // namespace pentimento
