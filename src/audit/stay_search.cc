#include "audit/stay_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace pentimento {
namespace {

constexpr std::uint32_t kUnnumbered = 0xffffffff;

// Open unknowns and the sums that they share, numbered by themselves, with what the fixed ones leave of each sum.
struct Component {
  struct Sum {
    std::int64_t total = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::vector<std::uint32_t> unknowns = {};
  };
  struct Unknown {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t seen_least = 0;  // in any world found so far
    std::int64_t seen_most = 0;
    std::vector<std::uint32_t> sums = {};
  };
  std::vector<Sum> sums;
  std::vector<Unknown> unknowns;
};

enum class SearchEnd { kExact, kGaveUp, kNoWorld };

// Depth first, halving the bounds of one unknown after the other; every change is on a trail and can be taken back.
class WorldSearch {
 public:
  WorldSearch(Component component, std::uint32_t nodes) : at_(std::move(component)), nodes_left_(nodes) {
    is_queued_.resize(at_.sums.size(), 0);
    for (std::uint32_t s = 0; s < at_.sums.size(); ++s) Enqueue(s);
  }

  // After it, the bounds of each unknown are the tightest that could be proved.
  SearchEnd Run() {
    if (!Propagate()) return SearchEnd::kNoWorld;
    const std::size_t mark = trail_.size();
    const bool found = Find();
    Undo(mark);
    if (!found) return gave_up_ ? SearchEnd::kGaveUp : SearchEnd::kNoWorld;
    for (std::uint32_t u = 0; u < at_.unknowns.size(); ++u) {
      Settle(u, /*at_least=*/true);
      Settle(u, /*at_least=*/false);
      if (gave_up_) return SearchEnd::kGaveUp;
    }
    return SearchEnd::kExact;
  }

  const Component& component() const { return at_; }
  std::uint64_t work() const { return work_; }

 private:
  struct Change {
    std::uint32_t unknown;
    std::int64_t least;
    std::int64_t most;
  };

  // Looks for worlds beyond those seen until one is found at the bound, or there is none.
  void Settle(std::uint32_t u, bool at_least) {
    Component::Unknown& unknown = at_.unknowns[u];
    while (!gave_up_ && (at_least ? unknown.least < unknown.seen_least : unknown.most > unknown.seen_most)) {
      const std::size_t mark = trail_.size();
      const bool found =
          (at_least ? Set(u, unknown.least, unknown.seen_least - 1) : Set(u, unknown.seen_most + 1, unknown.most)) &&
          Find();
      Undo(mark);
      if (found || gave_up_) continue;
      if (at_least) {
        Set(u, unknown.seen_least, unknown.most);
      } else {
        Set(u, unknown.least, unknown.seen_most);
      }
    }
  }

  // One world inside the bounds; leaves them as they are in it.
  bool Find() {
    if (nodes_left_ == 0) {
      gave_up_ = true;
      return false;
    }
    --nodes_left_;
    const auto open = std::ranges::find_if(at_.unknowns, [](const Component::Unknown& u) { return u.least < u.most; });
    if (open == at_.unknowns.end()) {
      See();
      return true;
    }
    const auto u = static_cast<std::uint32_t>(open - at_.unknowns.begin());
    const std::int64_t least = open->least;
    const std::int64_t most = open->most;
    const std::int64_t middle = least + (most - least) / 2;
    // A world at a bound that no world was seen at settles more.
    const bool high_first = open->seen_least <= least;
    for (const bool high : {high_first, !high_first}) {
      const std::size_t mark = trail_.size();
      if ((high ? Set(u, middle + 1, most) : Set(u, least, middle)) && Find()) return true;
      Undo(mark);
      if (gave_up_) return false;
    }
    return false;
  }

  void See() {
    for (Component::Unknown& unknown : at_.unknowns) {
      unknown.seen_least = has_seen_ ? std::min(unknown.seen_least, unknown.least) : unknown.least;
      unknown.seen_most = has_seen_ ? std::max(unknown.seen_most, unknown.most) : unknown.most;
    }
    has_seen_ = true;
  }

  // Whether a world may be left; draws all that follows.
  bool Set(std::uint32_t u, std::int64_t least, std::int64_t most) {
    Narrow(u, least, most);
    return Propagate();
  }

  void Narrow(std::uint32_t u, std::int64_t least, std::int64_t most) {
    Component::Unknown& unknown = at_.unknowns[u];
    trail_.push_back({.unknown = u, .least = unknown.least, .most = unknown.most});
    for (const std::uint32_t s : unknown.sums) {
      at_.sums[s].least += least - unknown.least;
      at_.sums[s].most += most - unknown.most;
      Enqueue(s);
    }
    unknown.least = least;
    unknown.most = most;
  }

  void Undo(std::size_t mark) {
    while (trail_.size() > mark) {
      const Change change = trail_.back();
      Narrow(change.unknown, change.least, change.most);
      trail_.resize(trail_.size() - 2);
    }
    ClearQueue();
  }

  void Enqueue(std::uint32_t sum) {
    if (is_queued_[sum] != 0) return;
    is_queued_[sum] = 1;
    queue_.push_back(sum);
  }

  void ClearQueue() {
    for (const std::uint32_t sum : queue_) is_queued_[sum] = 0;
    queue_.clear();
  }

  bool Propagate() {
    while (!queue_.empty()) {
      const std::uint32_t sum = queue_.back();
      queue_.pop_back();
      is_queued_[sum] = 0;
      if (!VisitSum(sum)) {
        ClearQueue();
        return false;
      }
    }
    return true;
  }

  bool VisitSum(std::uint32_t s) {
    const Component::Sum& sum = at_.sums[s];
    work_ += sum.unknowns.size() + 1;
    if (sum.least > sum.total || sum.most < sum.total) return false;
    for (const std::uint32_t u : sum.unknowns) {
      const Component::Unknown& unknown = at_.unknowns[u];
      const std::int64_t least = std::max(unknown.least, unknown.most - (sum.most - sum.total));
      const std::int64_t most = std::min(unknown.most, unknown.least + (sum.total - sum.least));
      if (least > most) return false;
      if (least != unknown.least || most != unknown.most) Narrow(u, least, most);
      if (sum.least > sum.total || sum.most < sum.total) return false;
    }
    return true;
  }

  Component at_;
  std::uint32_t nodes_left_;
  std::uint64_t work_ = 0;
  bool gave_up_ = false;
  bool has_seen_ = false;
  std::vector<Change> trail_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint8_t> is_queued_;
};

class ComponentFinder {
 public:
  ComponentFinder(StayBounds& bounds, const StaySearchLimits& limits)
      : bounds_(bounds),
        limits_(limits),
        is_visited_(bounds.margins().unknowns(), 0),
        local_sum_(bounds.margins().sums.size(), kUnnumbered),
        is_exact_(bounds.margins().joint.count(), 1) {}

  std::vector<std::uint8_t> Run() && {
    for (std::uint32_t u = 0; u < is_visited_.size(); ++u) {
      if (is_visited_[u] == 0 && IsOpen(u)) SearchFrom(u);
    }
    return std::move(is_exact_);
  }

 private:
  const StayMargins& margins() const { return bounds_.margins(); }

  bool IsOpen(std::uint32_t u) const {
    return margins().least[u] < margins().most[u] && !bounds_.is_contradicted(margins().joint_of[u]);
  }

  template <typename Use>
  void ForEachSum(std::uint32_t u, Use use) const {
    for (const std::uint32_t entry : margins().entries_of(u)) use(entry);
    use(margins().entries + margins().joint_of[u]);
  }

  template <typename Use>
  void ForEachOpenUnknown(std::uint32_t sum, Use use) const {
    if (sum < margins().entries) {
      for (const std::uint32_t u : margins().unknowns_of_entry(sum)) {
        if (IsOpen(u)) use(u);
      }
      return;
    }
    const std::uint32_t joint = sum - margins().entries;
    for (std::uint32_t u = margins().begin[joint]; u < margins().begin[joint + 1]; ++u) {
      if (IsOpen(u)) use(u);
    }
  }

  // Everything open that is linked to `first`: members_ and sums_.
  void Collect(std::uint32_t first) {
    members_.assign(1, first);
    sums_.clear();
    is_visited_[first] = 1;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      ForEachSum(members_[i], [&](std::uint32_t sum) {
        if (local_sum_[sum] != kUnnumbered) return;
        local_sum_[sum] = static_cast<std::uint32_t>(sums_.size());
        sums_.push_back(sum);
        ForEachOpenUnknown(sum, [&](std::uint32_t u) {
          if (is_visited_[u] == 0) members_.push_back(u);
          is_visited_[u] = 1;
        });
      });
    }
  }

  void SearchFrom(std::uint32_t first) {
    Collect(first);
    if (members_.size() > limits_.unknowns || work_ >= limits_.work) {
      MarkInexact();
      return;
    }
    WorldSearch search(Build(), limits_.nodes);
    const SearchEnd end = search.Run();
    work_ += search.work();
    if (end == SearchEnd::kNoWorld) {
      bounds_.Contradict(margins().joint_of[first]);
      return;
    }
    if (end == SearchEnd::kGaveUp) MarkInexact();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Component::Unknown& found = search.component().unknowns[i];
      bounds_.Tighten(members_[i], static_cast<std::uint32_t>(found.least), static_cast<std::uint32_t>(found.most));
    }
  }

  Component Build() {
    Component built;
    built.sums.reserve(sums_.size());
    for (const std::uint32_t sum : sums_) {
      const StaySum& of = margins().sums[sum];
      built.sums.push_back({.total = of.total, .least = of.least, .most = of.most});
    }
    for (const std::uint32_t u : members_) {
      const std::int64_t least = margins().least[u];
      const std::int64_t most = margins().most[u];
      Component::Unknown unknown{.least = least, .most = most, .seen_least = least, .seen_most = most};
      ForEachSum(u, [&](std::uint32_t sum) {
        unknown.sums.push_back(local_sum_[sum]);
        built.sums[local_sum_[sum]].unknowns.push_back(static_cast<std::uint32_t>(built.unknowns.size()));
      });
      built.unknowns.push_back(std::move(unknown));
    }
    return built;
  }

  void MarkInexact() {
    for (const std::uint32_t u : members_) is_exact_[margins().joint_of[u]] = 0;
  }

  StayBounds& bounds_;
  const StaySearchLimits& limits_;
  std::uint64_t work_ = 0;
  std::vector<std::uint8_t> is_visited_;  // by unknown
  std::vector<std::uint32_t> local_sum_;  // by sum: its number in its component
  std::vector<std::uint8_t> is_exact_;    // by joint class
  std::vector<std::uint32_t> members_;    // unknowns of the component
  std::vector<std::uint32_t> sums_;       // of the component
};

}  // namespace

std::vector<std::uint8_t> SearchSmallComponents(StayBounds& bounds, const StaySearchLimits& limits) {
  return ComponentFinder(bounds, limits).Run();
}

}  // namespace pentimento
