#include "guarantee/k_anonymity/k_anonymity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "guarantee/form/box_classes.h"

namespace pentimento {
namespace {

constexpr std::size_t kMaxCountingTasks = 16;
constexpr std::size_t kClassesPerTask = 1024;

class BitSet {
 public:
  explicit BitSet(std::size_t bits) : words_((bits + 63) / 64) {}
  // Whether the bit was new.
  bool Insert(std::size_t bit) {
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    const bool is_new = (words_[bit / 64] & mask) == 0;
    words_[bit / 64] |= mask;
    return is_new;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Each task counts into an array of its own. There are so few tasks that clearing and adding up these arrays
// never costs more than the pass over the rows.
std::vector<std::uint64_t> RowsPerGroup(const Classes& draft) {
  const std::size_t rows = draft.of_row.size();
  const std::size_t tasks = std::clamp<std::size_t>(rows / (4 * draft.count() + 1), 1, kMaxCountingTasks);
  std::vector<std::vector<std::uint64_t>> counts(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task) {
      counts[task].resize(draft.count());
      const std::size_t last = rows * (task + 1) / tasks;
      for (std::size_t row = rows * task / tasks; row < last; ++row) ++counts[task][draft.of_row[row]];
    }
  });
  for (std::size_t task = 1; task < tasks; ++task) {
    for (std::size_t g = 0; g < counts[0].size(); ++g) counts[0][g] += counts[task][g];
  }
  return std::move(counts[0]);
}

std::vector<std::uint64_t> RowsPerClass(const Classes& draft, std::span<const ClassId> class_of_group) {
  const std::vector<std::uint64_t> rows_per_group = RowsPerGroup(draft);
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
  BitSet seen(persons.count);
  return std::ranges::all_of(persons.person_of_row, [&](std::uint32_t person) { return seen.Insert(person); });
}

std::uint64_t CountDistinct(std::span<std::uint32_t> persons, std::uint32_t person_count) {
  // A bit set costs person_count / 64 steps to clear: worth it for large classes only.
  if (persons.size() >= person_count / 64) {
    BitSet seen(person_count);
    std::uint64_t distinct = 0;
    for (const std::uint32_t person : persons) distinct += seen.Insert(person) ? 1 : 0;
    return distinct;
  }
  std::ranges::sort(persons);
  return persons.size() - std::ranges::unique(persons).size();
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
  ParallelFor(distinct.size(), kClassesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      // next[c] has moved on to the end of class c.
      const auto members = std::span(by_class).subspan(next[c] - rows_per_class[c], rows_per_class[c]);
      distinct[c] = CountDistinct(members, persons.count);
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
