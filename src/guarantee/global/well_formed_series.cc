#include "guarantee/global/well_formed_series.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kLargestL = std::uint64_t{1} << 32;

// Counts the people of each class who have one row. False where somebody is in a class that is not there. Few tasks,
// each with counts of its own: people of a class are all over the place.
bool CountPeople(const ReleaseClasses& release, std::vector<std::uint64_t>& rows_of_class) {
  constexpr std::size_t kMostTasks = 8;
  const std::size_t people = release.class_of_person.size(), classes = release.classes();
  const std::size_t tasks = std::clamp<std::size_t>(people / (4 * classes + 1), 1, kMostTasks);
  std::vector<std::vector<std::uint32_t>> counts(tasks);
  std::vector<std::uint8_t> is_wrong(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task) {
      counts[task].resize(classes);
      for (std::size_t person = people * task / tasks; person < people * (task + 1) / tasks; ++person) {
        const std::uint32_t class_number = release.class_of_person[person];
        if (class_number < classes) {
          ++counts[task][class_number];
        } else if (class_number < ReleaseClasses::kSeveral) {
          is_wrong[task] = 1;
        }
      }
    }
  });
  for (const std::vector<std::uint32_t>& of_task : counts) {
    for (std::size_t c = 0; c < classes; ++c) rows_of_class[c] += of_task[c];
  }
  return std::ranges::none_of(is_wrong, [](std::uint8_t wrong) { return wrong != 0; });
}

// Adds the people who have several rows to what the classes have, or says what is wrong with them.
std::optional<std::string> CountSeveralRows(const ReleaseClasses& release, std::vector<std::uint64_t>& rows_of_class) {
  std::size_t people = 0;
  const RowsInClass* before = nullptr;
  for (const RowsInClass& entry : release.several_rows) {
    if (before != nullptr &&
        std::tie(before->person, before->class_number) >= std::tie(entry.person, entry.class_number))
      return "people with several rows are out of order";
    if (entry.person >= release.class_of_person.size() ||
        release.class_of_person[entry.person] != ReleaseClasses::kSeveral)
      return "rows of a person who has one row or none";
    if (entry.class_number >= release.classes() || entry.rows == 0) return "a person with several rows is in no class";
    people += before == nullptr || before->person != entry.person ? 1 : 0;
    rows_of_class[entry.class_number] += entry.rows;
    before = &entry;
  }
  const auto marked =
      std::count(release.class_of_person.begin(), release.class_of_person.end(), ReleaseClasses::kSeveral);
  if (people != static_cast<std::size_t>(marked)) return "a person with several rows is in no class";
  return std::nullopt;
}

// Every class names the smallest one of its component, which names itself.
bool AreComponents(const ReleaseClasses& release) {
  const std::vector<std::uint32_t>& smallest = release.confusable;
  if (smallest.empty()) return true;
  if (smallest.size() != release.classes()) return false;
  for (std::size_t class_number = 0; class_number < smallest.size(); ++class_number) {
    const std::uint32_t named = smallest[class_number];
    if (named > class_number || smallest[named] != named) return false;
  }
  return true;
}

}  // namespace

Status CheckClaim(const GlobalClaim& claim) {
  if (claim.items.empty()) return Error{ErrorCode::kInternal, "the global guarantee protects nothing"};
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    const SensitiveItem& it = claim.items[item];
    if (it.l < 2 || it.l > kLargestL)
      return Error{ErrorCode::kBadPolicy, fmt::format("l of {} is {}; it must be a whole number from 2 to {}",
                                                      NameOfItem(claim, item), it.l, kLargestL)};
    if (!it.transient)
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is declared as not transient, and the global guarantee cannot be given for it: it "
                               "counts each release as a fresh draw, but who keeps a value is found by comparing who "
                               "shared a class with whom in each release; withhold the column, or declare the value "
                               "transient if it comes and goes",
                               NameOfItem(claim, item))};
  }
  return {};
}

std::optional<std::string> FindMalformedClasses(const ReleaseClasses& release, std::size_t items) {
  if (release.holders.size() != release.classes() * items) return "holders are not counted for every class and item";
  if (!AreComponents(release)) return "a class is confused with one that is not there";
  std::vector<std::uint64_t> rows_of_class(release.classes());
  if (!CountPeople(release, rows_of_class)) return "a person is in a class that is not there";
  if (auto wrong = CountSeveralRows(release, rows_of_class)) return wrong;
  for (std::size_t class_number = 0; class_number < release.classes(); ++class_number) {
    if (rows_of_class[class_number] != release.size[class_number]) return "a class has not as many rows as it says";
    for (std::size_t item = 0; item < items; ++item)
      if (release.holders[class_number * items + item] > release.size[class_number])
        return "a class has more holders than rows";
  }
  return std::nullopt;
}

std::string NameOfItem(const GlobalClaim& claim, std::size_t item) {
  const std::string& name = claim.items[item].name;
  return name.empty() ? fmt::format("sensitive item {}", item + 1) : name;
}

}  // namespace pentimento
