#include "audit/every_world.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace pentimento {
namespace {

// What is seen of a class: its box, its profiles where they are shown, its values; the last two sorted.
struct SeenClass {
  std::vector<Interval> box;
  std::vector<std::uint32_t> profiles;
  std::vector<std::uint32_t> values;
  friend auto operator<=>(const SeenClass&, const SeenClass&) = default;
};

// Classes in no order: their numbers are drawn at random.
std::vector<SeenClass> SeeRelease(const WorldQuestion& question, const Classes& classes,
                                  std::span<const std::uint32_t> values) {
  Check(classes.of_row.size() == question.profiles.size(), "everybody is in a class of a world");
  std::vector<SeenClass> seen(classes.count());
  for (ClassNumber number = 0; number < classes.count() && classes.columns > 0; ++number) {
    const auto box = classes.box(number);
    seen[number].box.assign(box.begin(), box.end());
  }
  for (std::size_t person = 0; person < values.size(); ++person) {
    SeenClass& own = seen[classes.of_row[person]];
    own.values.push_back(values[person]);
    if (question.shows_members) own.profiles.push_back(question.profiles[person]);
  }
  std::erase_if(seen, [](const SeenClass& own) { return own.values.empty(); });
  if (!question.shows_members) {
    // Nobody tells classes with equal boxes apart.
    std::map<std::vector<Interval>, std::vector<std::uint32_t>> by_box;
    for (const SeenClass& own : seen)
      by_box[own.box].insert(by_box[own.box].end(), own.values.begin(), own.values.end());
    seen.clear();
    for (auto& [box, bag] : by_box) seen.push_back({box, {}, std::move(bag)});
  }
  for (SeenClass& own : seen) {
    std::ranges::sort(own.profiles);
    std::ranges::sort(own.values);
  }
  std::ranges::sort(seen);
  return seen;
}

std::uint64_t CountWorlds(std::span<const std::uint32_t> sorted_values, std::uint64_t most) {
  __extension__ using Wide = unsigned __int128;
  Wide worlds = 1;
  std::uint64_t same = 0;
  for (std::size_t i = 0; i < sorted_values.size(); ++i) {
    same = i > 0 && sorted_values[i] == sorted_values[i - 1] ? same + 1 : 1;
    worlds = worlds * (i + 1) / same;
    if (worlds > most) return most + 1;
  }
  return static_cast<std::uint64_t>(worlds);
}

Ratio InLowestTerms(std::uint64_t num, std::uint64_t den) {
  const std::uint64_t divisor = std::gcd(num, den);
  return {num / divisor, den / divisor};
}

}  // namespace

std::optional<WorldFindings> TryEveryWorld(const WorldQuestion& question) {
  const std::size_t people = question.profiles.size();
  Check(question.values.size() == people, "everybody has a value");
  const std::vector<SeenClass> published = SeeRelease(question, question.published, question.values);
  std::vector<std::uint32_t> values = question.values;
  std::ranges::sort(values);
  if (CountWorlds(values, question.most_worlds) > question.most_worlds) return std::nullopt;
  WorldFindings found;
  std::uint64_t all_weight = 0, weight_of_world = 0;
  std::vector<std::map<std::uint32_t, std::uint64_t>> weight_of(people);  // by person and value
  do {
    std::uint64_t weight = 0, draws = 0;
    for (const PublishedWorld& world : question.publish(values)) {
      draws += world.weight;
      if (SeeRelease(question, world.classes, values) == published) weight += world.weight;
    }
    Check(found.worlds++ == 0 || draws == weight_of_world, "all worlds have as many draws");
    weight_of_world = draws;
    found.possible += weight > 0 ? 1 : 0;
    all_weight += weight;
    for (std::size_t person = 0; person < people && weight > 0; ++person) weight_of[person][values[person]] += weight;
  } while (std::ranges::next_permutation(values).found);
  if (all_weight == 0) return found;
  for (const auto& by_value : weight_of) {
    const auto likeliest = std::ranges::max_element(by_value, {}, [](const auto& of) { return of.second; });
    found.likeliest.push_back(InLowestTerms(likeliest->second, all_weight));
    found.likeliest_value.push_back(likeliest->first);
    found.certain += by_value.size() == 1 ? 1 : 0;
    found.above_bar += found.likeliest.back() > question.bar || by_value.size() == 1 ? 1 : 0;
  }
  return found;
}

}  // namespace pentimento
