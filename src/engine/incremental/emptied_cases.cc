#include "engine/incremental/emptied_cases.h"

#include <algorithm>
#include <span>

namespace pentimento {
namespace {

std::uint32_t CameWith(const std::vector<CaseNumber>& first_of_later, CaseNumber member) {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(first_of_later, member) - first_of_later.begin());
}

// The older cases of people who got another one with a release, and that release; ascending by member.
std::vector<EmptiedCase> Followed(const IncrementalMemory& series) {
  std::vector<CaseNumber> first_of_later;
  for (const SegmentView& segment : series.view().segments)
    first_of_later.push_back((first_of_later.empty() ? 0 : first_of_later.back()) + segment.new_members);
  std::vector<NamedMember> named = series.NamedMembers();
  std::ranges::sort(named, [](const NamedMember& a, const NamedMember& b) {
    return a.identity != b.identity ? a.identity < b.identity : a.member < b.member;
  });
  std::vector<EmptiedCase> followed;
  for (std::size_t i = 0; i + 1 < named.size(); ++i) {
    if (named[i].identity == named[i + 1].identity)
      followed.push_back({named[i].member, CameWith(first_of_later, named[i + 1].member)});
  }
  std::ranges::sort(followed, {}, &EmptiedCase::member);
  return followed;
}

bool IsReplaced(const std::vector<EmptiedCase>& followed, const EmptiedCase& left) {
  const auto found = std::ranges::lower_bound(followed, left.member, {}, &EmptiedCase::member);
  return found != followed.end() && found->member == left.member && found->release == left.release;
}

// Those who left with earlier releases.
std::vector<EmptiedCase> LeftBefore(const IncrementalView& view) {
  std::vector<EmptiedCase> left;
  for (std::uint32_t release = 0; release < view.segments.size(); ++release) {
    for (const CaseNumber member : view.segments[release].withdrawn) left.push_back({member, release});
  }
  return left;
}

}  // namespace

std::vector<EmptiedCase> FindEmptied(const IncrementalMemory& series, const IncrementalPeople& who,
                                     bool keeps_leavers) {
  const auto now = static_cast<std::uint32_t>(series.releases());
  std::vector<EmptiedCase> emptied = LeftBefore(series.view());
  const std::vector<IncrementalAbout>& abouts = series.abouts();
  if (std::ranges::any_of(abouts, &IncrementalAbout::keeps_leavers)) {
    const std::vector<EmptiedCase> followed = Followed(series);
    std::erase_if(emptied, [&](EmptiedCase& left) {
      if (IsReplaced(followed, left)) return false;
      while (left.release < now && abouts[left.release].keeps_leavers) ++left.release;
      return left.release == now && keeps_leavers;
    });
  }
  for (const CaseNumber member : keeps_leavers ? who.replaced : who.withdrawn) emptied.push_back({member, now});
  std::ranges::sort(emptied, {}, &EmptiedCase::member);
  return emptied;
}

}  // namespace pentimento
