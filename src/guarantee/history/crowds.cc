#include "guarantee/history/crowds.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "guarantee/history/pair_numbers.h"

namespace pentimento {
namespace {

bool Has(ReleaseMask set, std::size_t release) { return (set >> release & 1) != 0; }

// Stories by a mask of theirs, ascending by mask and then by their place in the list.
struct MaskedStory {
  ReleaseMask mask = 0;
  std::uint32_t place = 0;

  friend auto operator<=>(const MaskedStory&, const MaskedStory&) = default;
};

// The next stories with one mask, from the front of a sorted list.
std::span<const MaskedStory> NextAlike(std::span<const MaskedStory> sorted) {
  const auto other = std::ranges::find_if(sorted, [&](const MaskedStory& s) { return s.mask != sorted.front().mask; });
  return sorted.first(static_cast<std::size_t>(other - sorted.begin()));
}

// For each of `asking`: how many people of `members` have its classes in all releases of `common`.
class AgreementCounter {
 public:
  AgreementCounter(const Stories& stories, std::span<const std::uint32_t> looked_at)
      : stories_(stories), looked_at_(looked_at) {}

  const std::vector<std::uint64_t>& Count(std::span<const MaskedStory> members, std::span<const MaskedStory> asking,
                                          ReleaseMask common) {
    member_number_.assign(members.size(), 0);
    asking_number_.assign(asking.size(), 0);
    std::uint32_t numbers = 1;
    for (std::size_t r = 0; r < stories_.releases; ++r) {
      if (Has(common, r)) numbers = Refine(members, asking, r);
    }
    std::vector<std::uint64_t> people(numbers);
    for (std::size_t i = 0; i < members.size(); ++i) people[member_number_[i]] += stories_.people[members[i].place];
    found_.assign(asking.size(), 0);
    for (std::size_t i = 0; i < asking.size(); ++i) {
      if (asking_number_[i] != PairNumbers::kNone) found_[i] = people[asking_number_[i]];
    }
    return found_;
  }

 private:
  std::uint32_t Refine(std::span<const MaskedStory> members, std::span<const MaskedStory> asking, std::size_t release) {
    PairNumbers numbers(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      member_number_[i] = numbers.Add(member_number_[i], stories_.class_in(members[i].place, release));
    // A member is in the release, so nobody finds one where no class covers them.
    for (std::size_t i = 0; i < asking.size(); ++i) {
      if (asking_number_[i] == PairNumbers::kNone) continue;
      asking_number_[i] = numbers.Find(asking_number_[i], stories_.class_in(looked_at_[asking[i].place], release));
    }
    return numbers.count();
  }

  const Stories& stories_;
  std::span<const std::uint32_t> looked_at_;
  std::vector<std::uint32_t> member_number_;
  std::vector<std::uint32_t> asking_number_;
  std::vector<std::uint64_t> found_;
};

void AddStrangers(const Stories& stories, ReleaseMask set, std::uint32_t story, Crowd& crowd) {
  for (std::size_t r = 0; r < stories.releases; ++r) {
    if (!Has(set, r)) continue;
    const ClassNumber number = stories.class_in(story, r);
    const std::uint64_t strangers = !Has(stories.known[story], r) ? stories.all_strangers[r]
                                    : number == kNotInRelease     ? 0
                                                                  : stories.strangers[r][number];
    crowd.at_most += strangers;
    if (std::has_single_bit(set)) crowd.at_least += strangers;
  }
}

// Whether whoever has a class of `fine`, or is covered by it, has one class in `coarse`, or none; and everybody who is
// in `coarse` is in `fine`. Of strangers nobody can tell.
bool IsRefinedBy(const Stories& stories, std::size_t coarse, std::size_t fine) {
  if (stories.all_strangers[coarse] > 0 || stories.all_strangers[fine] > 0) return false;
  struct Image {
    bool is_met = false;
    ClassNumber number = 0;
  };
  std::vector<Image> image(stories.strangers[fine].size());
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if (Has(stories.present[story], coarse) && !Has(stories.present[story], fine)) return false;
    // Otherwise `coarse` would rule out people of whom `fine` does not know.
    if (Has(stories.known[story], coarse) && !Has(stories.known[story], fine)) return false;
    const ClassNumber number = stories.class_in(story, fine);
    if (number == kNotInRelease) continue;
    if (!Has(stories.known[story], coarse)) return false;
    if (!image[number].is_met) image[number] = {true, stories.class_in(story, coarse)};
    if (image[number].number != stories.class_in(story, coarse)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Crowd>> FindCrowds(const Stories& stories, ReleaseMask set,
                                             std::span<const std::uint32_t> looked_at, WorkLimit& limit) {
  std::vector<MaskedStory> by_presence;  // of all stories in the set
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if ((stories.present[story] & set) != 0) by_presence.push_back({stories.present[story] & set, story});
  }
  std::vector<MaskedStory> by_knowledge;  // of those that are looked at, by their places there
  for (std::uint32_t i = 0; i < looked_at.size(); ++i) {
    if ((stories.present[looked_at[i]] & set) != 0) by_knowledge.push_back({stories.known[looked_at[i]] & set, i});
  }
  std::ranges::sort(by_presence);
  std::ranges::sort(by_knowledge);
  std::vector<Crowd> crowds(looked_at.size());
  AgreementCounter counter(stories, looked_at);
  for (std::span<const MaskedStory> left = by_presence; !left.empty();) {
    const std::span<const MaskedStory> members = NextAlike(left);
    left = left.subspan(members.size());
    for (std::span<const MaskedStory> open = by_knowledge; !open.empty();) {
      const std::span<const MaskedStory> asking = NextAlike(open);
      open = open.subspan(asking.size());
      // Elsewhere the members' classes may cover whoever is asking, or not.
      const ReleaseMask common = members.front().mask & asking.front().mask;
      const auto releases = static_cast<std::uint64_t>(std::popcount(common));
      if (!limit.Spend((members.size() + asking.size()) * (releases + 1))) return std::nullopt;
      const std::vector<std::uint64_t>& found = counter.Count(members, asking, common);
      for (std::size_t i = 0; i < asking.size(); ++i) {
        crowds[asking[i].place].at_most += found[i];
        if (common == members.front().mask) crowds[asking[i].place].at_least += found[i];
      }
    }
  }
  for (const MaskedStory& one : by_knowledge) AddStrangers(stories, set, looked_at[one.place], crowds[one.place]);
  return crowds;
}

std::optional<std::vector<ReleaseMask>> DecidingSets(const Stories& stories, std::size_t most) {
  std::vector<ReleaseMask> patterns = stories.present;
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  if (patterns.size() > most) return std::nullopt;
  // A set is decided by the largest one with the same people: it lacks just the releases of those who are not in it.
  std::vector<ReleaseMask> lacking = {0};
  for (const ReleaseMask pattern : patterns) {
    std::vector<ReleaseMask> more = lacking;
    for (const ReleaseMask lacks : lacking) more.push_back(lacks | pattern);
    std::ranges::sort(more);
    more.erase(std::unique(more.begin(), more.end()), more.end());
    lacking = std::move(more);
    if (lacking.size() > most + 1) return std::nullopt;
  }
  std::vector<ReleaseMask> sets;
  for (const ReleaseMask lacks : lacking) {
    if ((stories.all() & ~lacks) != 0) sets.push_back(stories.all() & ~lacks);
  }
  std::ranges::sort(sets);
  return sets;
}

ReleaseMask WithoutRefined(const Stories& stories, ReleaseMask set) {
  for (std::size_t coarse = 0; coarse < stories.releases; ++coarse) {
    for (std::size_t fine = 0; Has(set, coarse) && fine < stories.releases; ++fine) {
      // Each is left out on account of one that stays so far, so where two refine each other one of them stays.
      if (fine != coarse && Has(set, fine) && IsRefinedBy(stories, coarse, fine)) set &= ~(ReleaseMask{1} << coarse);
    }
  }
  return set;
}

}  // namespace pentimento
