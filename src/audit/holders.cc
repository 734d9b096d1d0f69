#include "audit/holders.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "audit/stay_joint.h"
#include "base/strong_components.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// A joint class is an edge from its class in the first release to the one in the second. Whoever is in one release only
// has an edge from or to the outside, a node whose balance is free.
struct HolderEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t size = 0;
  std::uint32_t flow = 0;

  std::uint32_t other(std::uint32_t node) const { return node == from ? to : from; }
  // How much more can go from this end to the other.
  std::uint32_t room(std::uint32_t node) const { return node == from ? size - flow : flow; }
  void Send(std::uint32_t node, std::uint32_t amount) { flow = node == from ? flow + amount : flow - amount; }
};

class HolderFlow {
 public:
  HolderFlow(std::uint32_t nodes, std::vector<HolderEdge> edges, std::vector<std::int64_t> supply)
      : edges_(std::move(edges)), supply_(std::move(supply)), begin_(std::size_t{nodes} + 1, 0) {
    for (const HolderEdge& edge : edges_) {
      ++begin_[edge.from + 1];
      ++begin_[edge.to + 1];
    }
    for (std::uint32_t n = 0; n < nodes; ++n) begin_[n + 1] += begin_[n];
    std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
    at_node_.resize(begin_.back());
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      at_node_[next[edges_[e].from]++] = e;
      at_node_[next[edges_[e].to]++] = e;
    }
  }

  // A flow with which every supply is 0, by the algorithm of Dinic; whether there is one.
  bool Fill() {
    while (FindLevels()) {
      next_.assign(begin_.begin(), begin_.end() - 1);
      for (std::uint32_t n = 0; n < nodes(); ++n) {
        while (supply_[n] > 0 && Augment(n)) {
        }
      }
    }
    return std::ranges::all_of(supply_, [](std::int64_t supply) { return supply == 0; });
  }

  // By node: its strongly connected component in the residual graph, by the algorithm of Tarjan.
  std::vector<std::uint32_t> Components() const;

  // Brings as much as possible, up to `wanted`, around the cycles that pass edge e from `node` to its other end; true
  // if the search came to its end. Nodes of other components are on none of these cycles.
  bool Circulate(std::uint32_t e, std::uint32_t node, std::span<const std::uint32_t> component, std::uint64_t& work);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(supply_.size()); }
  const HolderEdge& edge(std::uint32_t e) const { return edges_[e]; }

 private:
  std::span<const std::uint32_t> edges_at(std::uint32_t node) const {
    return std::span(at_node_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }

  // Steps from the nodes with supply; whether a node with demand is reached.
  bool FindLevels() {
    level_.assign(nodes(), kNowhere);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t n = 0; n < nodes(); ++n) {
      if (supply_[n] <= 0) continue;
      level_[n] = 0;
      queue.push_back(n);
    }
    bool reached = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t node = queue[i];
      reached = reached || supply_[node] < 0;
      for (const std::uint32_t e : edges_at(node)) {
        const std::uint32_t other = edges_[e].other(node);
        if (edges_[e].room(node) == 0 || level_[other] != kNowhere) continue;
        level_[other] = level_[node] + 1;
        queue.push_back(other);
      }
    }
    return reached;
  }

  // One path to a node with demand, level by level.
  bool Augment(std::uint32_t source) {
    path_.clear();
    std::uint32_t node = source;
    while (supply_[node] >= 0) {
      if (next_[node] < begin_[node + 1]) {
        const std::uint32_t e = at_node_[next_[node]];
        const std::uint32_t other = edges_[e].other(node);
        if (edges_[e].room(node) > 0 && level_[other] == level_[node] + 1) {
          path_.push_back({e, node});
          node = other;
        } else {
          ++next_[node];
        }
      } else if (path_.empty()) {
        return false;
      } else {
        node = path_.back().node;
        path_.pop_back();
        ++next_[node];
      }
    }
    const std::int64_t amount = std::min({supply_[source], -supply_[node], std::int64_t{RoomOfPath()}});
    SendAlongPath(static_cast<std::uint32_t>(amount));
    supply_[source] -= amount;
    supply_[node] += amount;
    return true;
  }

  std::uint32_t RoomOfPath() const {
    std::uint32_t room = kNowhere;
    for (const Step& step : path_) room = std::min(room, edges_[step.edge].room(step.node));
    return room;
  }

  void SendAlongPath(std::uint32_t amount) {
    for (const Step& step : path_) edges_[step.edge].Send(step.node, amount);
  }

  // A path in the residual graph, without edge `but`, inside one component; empty if there is none.
  void FindPath(std::uint32_t from, std::uint32_t to, std::uint32_t but, std::span<const std::uint32_t> component,
                std::uint64_t& work);

  struct Step {
    std::uint32_t edge;
    std::uint32_t node;  // that it leaves
  };

  std::vector<HolderEdge> edges_;
  std::vector<std::int64_t> supply_;  // by node: what it still has to send, or, below 0, to get
  std::vector<std::uint64_t> begin_;  // by node, and one more: where its edges begin
  std::vector<std::uint32_t> at_node_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint64_t> next_;  // by node: the first edge that may still lead on
  std::vector<Step> path_;
  std::vector<Step> came_by_;  // by node, while a path is searched
};

std::vector<std::uint32_t> HolderFlow::Components() const {
  // Edges without room lead nowhere.
  const auto next_target = [&](std::uint32_t node, std::size_t& way) {
    for (const std::span<const std::uint32_t> edges = edges_at(node); way < edges.size();) {
      const HolderEdge& edge = edges_[edges[way++]];
      if (edge.room(node) != 0) return edge.other(node);
    }
    return StrongComponents::kNoNode;
  };
  return FindStrongComponents(nodes(), next_target).of_node;
}

void HolderFlow::FindPath(std::uint32_t from, std::uint32_t to, std::uint32_t but,
                          std::span<const std::uint32_t> component, std::uint64_t& work) {
  path_.clear();
  came_by_.resize(nodes(), {.edge = kNowhere, .node = kNowhere});
  std::vector<std::uint32_t> queue = {from};
  came_by_[from] = {.edge = but, .node = from};
  for (std::size_t i = 0; i < queue.size() && came_by_[to].node == kNowhere; ++i) {
    const std::uint32_t node = queue[i];
    const std::span<const std::uint32_t> edges = edges_at(node);
    work -= std::min<std::uint64_t>(work, edges.size());
    for (const std::uint32_t e : edges) {
      const std::uint32_t other = edges_[e].other(node);
      if (e == but || edges_[e].room(node) == 0) continue;
      if (came_by_[other].node != kNowhere || component[other] != component[from]) continue;
      came_by_[other] = {.edge = e, .node = node};
      queue.push_back(other);
    }
  }
  if (came_by_[to].node != kNowhere) {
    for (std::uint32_t node = to; node != from; node = came_by_[node].node) path_.push_back(came_by_[node]);
  }
  for (const std::uint32_t node : queue) came_by_[node] = {.edge = kNowhere, .node = kNowhere};
}

bool HolderFlow::Circulate(std::uint32_t e, std::uint32_t node, std::span<const std::uint32_t> component,
                           std::uint64_t& work) {
  const std::uint32_t other = edges_[e].other(node);
  while (edges_[e].room(node) > 0) {
    if (work == 0) return false;
    FindPath(other, node, e, component, work);
    if (path_.empty()) return true;
    const std::uint32_t amount = std::min(RoomOfPath(), edges_[e].room(node));
    SendAlongPath(amount);
    edges_[e].Send(node, amount);
  }
  return true;
}

std::uint32_t CountIn(const ValueBags& bags, ClassNumber number, std::uint32_t value) {
  const std::span<const std::uint32_t> values = bags.values_of(number);
  const auto found = std::ranges::lower_bound(values, value);
  if (found == values.end() || *found != value) return 0;
  return bags.counts_of(number)[static_cast<std::size_t>(found - values.begin())];
}

HolderFlow MakeFlow(const StayJointClasses& joint, std::string_view column, std::uint32_t value) {
  const std::uint32_t outside = joint.class_base.back();
  std::vector<std::int64_t> supply(std::size_t{outside} + 1, 0);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const ValueBags& bags = BagsOf(*joint.releases[r], column);
    for (ClassNumber c = 0; c < joint.releases[r]->classes(); ++c) {
      const std::int64_t count = CountIn(bags, c, value);
      supply[joint.class_base[r] + c] = r == 0 ? count : -count;
      supply[outside] += r == 0 ? -count : count;
    }
  }
  std::vector<HolderEdge> edges;
  edges.reserve(joint.count());
  for (std::uint32_t j = 0; j < joint.count(); ++j) {
    HolderEdge edge{.from = outside, .to = outside, .size = joint.size[j]};
    joint.ForEachClass(
        j, [&](std::uint32_t r, ClassNumber c) { (r == 0 ? edge.from : edge.to) = joint.class_base[r] + c; });
    edges.push_back(edge);
  }
  return HolderFlow(outside + 1, std::move(edges), std::move(supply));
}

}  // namespace

ValueHolders FindHolders(const CommonReleases& common, std::string_view column, std::uint32_t value,
                         std::array<std::size_t, 2> releases, std::uint64_t work) {
  StayJointClasses joint = GroupJointly(common, releases);
  ValueHolders holders;
  holders.joint_of_person = std::move(joint.joint_of_person);
  holders.joint_size.assign(joint.size.begin(), joint.size.begin() + joint.known());
  holders.least.assign(joint.known(), 0);
  holders.most = holders.joint_size;
  HolderFlow flow = MakeFlow(joint, column, value);
  holders.is_possible = flow.Fill();
  if (!holders.is_possible) return holders;
  const std::vector<std::uint32_t> component = flow.Components();
  for (std::uint32_t j = 0; j < joint.known(); ++j) {
    const HolderEdge& edge = flow.edge(j);
    if (component[edge.from] != component[edge.to]) {
      holders.least[j] = holders.most[j] = edge.flow;
    } else if (edge.size > 1) {
      // Inside a component only: there and back over the same edge is no cycle, so each is tried by itself.
      if (flow.Circulate(j, edge.from, component, work))
        holders.most[j] = edge.flow;
      else
        holders.is_exact = false;
      if (flow.Circulate(j, edge.to, component, work))
        holders.least[j] = edge.flow;
      else
        holders.is_exact = false;
    }
  }
  return holders;
}

}  // namespace pentimento
