#include "audit/pairing_blocks.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/strong_components.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNoValue = std::numeric_limits<std::uint32_t>::max();

std::uint64_t SumOf(const std::vector<std::uint64_t>& records) {
  return std::accumulate(records.begin(), records.end(), std::uint64_t{0});
}

MatchGraph Turned(const MatchGraph& graph) {
  MatchGraph turned{graph.right, graph.left, std::vector<std::vector<std::uint32_t>>(graph.right.size())};
  for (std::uint32_t left = 0; left < graph.left.size(); ++left) {
    for (const std::uint32_t right : graph.matches[left]) turned.matches[right].push_back(left);
  }
  return turned;
}

// Assigns as many records of the left side as it can, after Dinic: in each round along shortest ways, on which
// records that have a partner already may be moved to another one. Only pairs that are assigned are stored.
class Assignment {
 public:
  Assignment(const MatchGraph& graph, std::uint64_t most_steps)
      : graph_(graph), steps_left_(most_steps), left_spare_(graph.left), right_spare_(graph.right) {
    assigned_.resize(graph.right.size());
  }

  // Whether there were steps enough.
  bool Run() {
    while (RankValues()) {
      left_next_.assign(graph_.left.size(), 0);
      right_next_.assign(graph_.right.size(), 0);
      for (std::uint32_t left = 0; left < graph_.left.size(); ++left) {
        while (left_spare_[left] > 0 && AssignFrom(left)) {
        }
      }
    }
    return steps_left_ > 0;
  }

  bool has_everybody() const {
    return std::ranges::all_of(left_spare_, [](std::uint64_t spare) { return spare == 0; });
  }
  bool has_spare(std::uint32_t right) const { return right_spare_[right] > 0; }
  const std::map<std::uint32_t, std::uint64_t>& assigned(std::uint32_t right) const { return assigned_[right]; }

 private:
  bool TakeSteps(std::uint64_t steps) {
    steps_left_ -= std::min(steps_left_, steps);
    return steps_left_ > 0;
  }

  // How far each value is from records without a partner. Whether a value of the right side with room is among them.
  bool RankValues() {
    left_rank_.assign(graph_.left.size(), kNoValue);
    right_rank_.assign(graph_.right.size(), kNoValue);
    std::vector<std::uint32_t> lefts;
    for (std::uint32_t left = 0; left < graph_.left.size(); ++left) {
      if (left_spare_[left] == 0) continue;
      left_rank_[left] = 0;
      lefts.push_back(left);
    }
    bool has_room = false;
    for (std::uint32_t rank = 1; !lefts.empty() && !has_room; rank += 2) {
      std::vector<std::uint32_t> rights;
      for (const std::uint32_t left : lefts) {
        if (!TakeSteps(graph_.matches[left].size() + 1)) return false;
        for (const std::uint32_t right : graph_.matches[left]) {
          if (right_rank_[right] != kNoValue) continue;
          right_rank_[right] = rank;
          has_room = has_room || right_spare_[right] > 0;
          rights.push_back(right);
        }
      }
      lefts.clear();
      for (const std::uint32_t right : rights) RankAssigned(right, rank + 1, lefts);
    }
    return has_room;
  }

  void RankAssigned(std::uint32_t right, std::uint32_t rank, std::vector<std::uint32_t>& ranked) {
    for (const auto& [left, records] : assigned_[right]) {
      if (left_rank_[left] != kNoValue) continue;
      left_rank_[left] = rank;
      ranked.push_back(left);
    }
  }

  // The next value that leads on from here, or kNoValue. Values that turned out to lead nowhere have lost their rank.
  std::uint32_t NextRight(std::uint32_t left) {
    const std::vector<std::uint32_t>& matches = graph_.matches[left];
    std::size_t& next = left_next_[left];
    while (next < matches.size() && right_rank_[matches[next]] != left_rank_[left] + 1) {
      ++next;
      TakeSteps(1);
    }
    return next < matches.size() ? matches[next] : kNoValue;
  }

  std::uint32_t NextLeft(std::uint32_t right) {
    auto next = assigned_[right].lower_bound(right_next_[right]);
    while (next != assigned_[right].end() && left_rank_[next->first] != right_rank_[right] + 1) ++next;
    if (next == assigned_[right].end()) return kNoValue;
    right_next_[right] = next->first;
    return next->first;
  }

  // Finds one way from here to room on the right side, and moves as many records along it as it bears.
  bool AssignFrom(std::uint32_t begin) {
    std::vector<std::uint32_t> lefts = {begin}, rights;
    while (!lefts.empty()) {
      if (!TakeSteps(1)) return false;
      if (lefts.size() > rights.size()) {
        const std::uint32_t right = NextRight(lefts.back());
        if (right != kNoValue) {
          rights.push_back(right);
          continue;
        }
        left_rank_[lefts.back()] = kNoValue;
        lefts.pop_back();
        continue;
      }
      if (right_spare_[rights.back()] > 0) {
        MoveAlong(lefts, rights);
        return true;
      }
      const std::uint32_t left = NextLeft(rights.back());
      if (left != kNoValue) {
        lefts.push_back(left);
        continue;
      }
      right_rank_[rights.back()] = kNoValue;
      rights.pop_back();
    }
    return false;
  }

  void MoveAlong(const std::vector<std::uint32_t>& lefts, const std::vector<std::uint32_t>& rights) {
    std::uint64_t records = std::min(left_spare_[lefts.front()], right_spare_[rights.back()]);
    for (std::size_t at = 1; at < lefts.size(); ++at)
      records = std::min(records, assigned_[rights[at - 1]].at(lefts[at]));
    left_spare_[lefts.front()] -= records;
    right_spare_[rights.back()] -= records;
    for (std::size_t at = 0; at < lefts.size(); ++at) {
      assigned_[rights[at]][lefts[at]] += records;
      if (at == 0) continue;
      const auto before = assigned_[rights[at - 1]].find(lefts[at]);
      before->second -= records;
      if (before->second == 0) assigned_[rights[at - 1]].erase(before);
    }
  }

  const MatchGraph& graph_;
  std::uint64_t steps_left_;
  std::vector<std::uint64_t> left_spare_;                         // records without a partner
  std::vector<std::uint64_t> right_spare_;                        // likewise
  std::vector<std::map<std::uint32_t, std::uint64_t>> assigned_;  // by right value: left values, and how many records
  std::vector<std::uint32_t> left_rank_;
  std::vector<std::uint32_t> right_rank_;
  std::vector<std::size_t> left_next_;     // where to look for the next way, in matches
  std::vector<std::uint32_t> right_next_;  // likewise, a left value
};

// How an assignment can be changed: from a left value to every right one it matches, from a right value back to the
// left ones it is assigned to. Where the right side is larger, records without a partner can be taken instead of
// others: one more place, which right values with spare records lead to, and which leads to those with partners.
class Changes {
 public:
  Changes(const MatchGraph& graph, const Assignment& assignment) : graph_(graph), back_(graph.right.size()) {
    for (std::uint32_t right = 0; right < graph.right.size(); ++right) {
      for (const auto& [left, records] : assignment.assigned(right)) back_[right].push_back(left);
      if (!back_[right].empty()) with_partners_.push_back(Right(right));
      if (assignment.has_spare(right)) back_[right].push_back(Spare());
    }
  }

  std::uint32_t count() const { return Spare() + 1; }
  std::uint32_t Right(std::uint32_t right) const { return static_cast<std::uint32_t>(graph_.left.size()) + right; }

  // Where the way of that number leads to from here; kNoNode: there are not so many.
  std::uint32_t Target(std::uint32_t from, std::size_t way) const {
    if (from < graph_.left.size())
      return way < graph_.matches[from].size() ? Right(graph_.matches[from][way]) : StrongComponents::kNoNode;
    const std::vector<std::uint32_t>& ways = from == Spare() ? with_partners_ : back_[from - graph_.left.size()];
    return way < ways.size() ? ways[way] : StrongComponents::kNoNode;
  }

 private:
  std::uint32_t Spare() const { return static_cast<std::uint32_t>(graph_.left.size() + graph_.right.size()); }

  const MatchGraph& graph_;
  std::vector<std::vector<std::uint32_t>> back_;
  std::vector<std::uint32_t> with_partners_;
};

}  // namespace

std::variant<PairingBlocks, NoBlocks> FindPairingBlocks(const MatchGraph& graph, std::uint64_t most_steps) {
  if (SumOf(graph.left) > SumOf(graph.right)) {
    auto turned = FindPairingBlocks(Turned(graph), most_steps);
    if (auto* blocks = std::get_if<PairingBlocks>(&turned)) std::swap(blocks->of_left, blocks->of_right);
    return turned;
  }
  Assignment assignment(graph, most_steps);
  if (!assignment.Run()) return NoBlocks::kTooManySteps;
  if (!assignment.has_everybody()) return NoBlocks::kNoPairing;
  const Changes changes(graph, assignment);
  const StrongComponents components = FindStrongComponents(
      changes.count(), [&](std::uint32_t node, std::size_t& way) { return changes.Target(node, way++); });
  PairingBlocks blocks;
  blocks.count = components.count;
  for (std::uint32_t left = 0; left < graph.left.size(); ++left) blocks.of_left.push_back(components.of_node[left]);
  for (std::uint32_t right = 0; right < graph.right.size(); ++right)
    blocks.of_right.push_back(components.of_node[changes.Right(right)]);
  return blocks;
}

}  // namespace pentimento
