#include "guarantee/k_anonymity/k_anonymity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "guarantee/form/box_classes.h"
#include "guarantee/form/rows_of_classes.h"

namespace pentimento {
namespace {

constexpr std::size_t kClassesCounted = 1024;  // by one task

std::vector<std::uint64_t> RowsPerClass(const Classes& draft, std::span<const ClassId> class_of_group) {
  const std::vector<std::uint32_t> rows_per_group = CountRows(draft.of_row, draft.count());
  std::vector<std::uint64_t> rows_per_class;
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    // Classes are numbered in the order in which they are met.
    if (class_of_group[g] == rows_per_class.size()) rows_per_class.push_back(0);
    rows_per_class[class_of_group[g]] += rows_per_group[g];
  }
  return rows_per_class;
}

// Looked up in the rows and not asked of the table: a wrong count of persons must not turn rows into persons.
bool EveryRowIsAnotherPerson(const Persons& persons) {
  std::vector<bool> seen(persons.count);
  for (const std::uint32_t person : persons.person_of_row) {
    if (seen[person]) return false;
    seen[person] = true;
  }
  return true;
}

// Lays the persons out class by class, then counts within each class.
std::vector<std::uint64_t> PersonsPerClass(const Persons& persons, const Classes& draft,
                                           std::span<const ClassId> class_of_group,
                                           std::span<const std::uint64_t> rows_per_class) {
  std::vector<std::uint64_t> next(rows_per_class.size());
  for (std::size_t c = 1; c < next.size(); ++c) next[c] = next[c - 1] + rows_per_class[c - 1];
  std::vector<std::uint32_t> by_class(draft.of_row.size());
  for (std::size_t row = 0; row < by_class.size(); ++row) {
    by_class[next[class_of_group[draft.of_row[row]]]++] = persons.person_of_row[row];
  }
  std::vector<std::uint64_t> distinct(rows_per_class.size());
  ParallelFor(distinct.size(), kClassesCounted, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      // next[c] has moved on to the end of class c.
      const auto members = std::span(by_class).subspan(next[c] - rows_per_class[c], rows_per_class[c]);
      std::ranges::sort(members);
      distinct[c] = members.size() - std::ranges::unique(members).size();
    }
  });
  return distinct;
}

std::optional<KAnonymityViolation> FindSmallClass(const EncodedTable& table, const Classes& draft,
                                                  std::span<const ClassId> class_of_group, std::uint64_t k) {
  std::vector<std::uint64_t> members = RowsPerClass(draft, class_of_group);
  if (table.persons && !EveryRowIsAnotherPerson(*table.persons)) {
    members = PersonsPerClass(*table.persons, draft, class_of_group, members);
  }
  std::optional<ClassId> smallest;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (members[c] > 0 && (!smallest || members[c] < members[*smallest])) smallest = static_cast<ClassId>(c);
  }
  if (!smallest || members[*smallest] >= k) return std::nullopt;
  const auto leader = std::ranges::find(class_of_group, *smallest) - class_of_group.begin();
  return KAnonymityViolation{static_cast<ClassNumber>(leader), members[*smallest]};
}

}  // namespace

std::optional<KAnonymityViolation> FindKAnonymityViolation(const EncodedTable& table, const Classes& draft,
                                                           std::uint64_t k) {
  return FindSmallClass(table, draft, ClassOfGroup(draft), k);
}

std::optional<KAnonymityViolation> FindSmallGroup(const EncodedTable& table, const Classes& draft, std::uint64_t k) {
  std::vector<ClassId> class_of_group(draft.count());
  std::iota(class_of_group.begin(), class_of_group.end(), ClassId{0});
  return FindSmallClass(table, draft, class_of_group, k);
}

}  // namespace pentimento
