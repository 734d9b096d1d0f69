// The strongly connected components of a graph, after Tarjan 1972; without recursion, because ways can be as long as
// there are nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace pentimento {

struct StrongComponents {
  static constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> of_node;  // numbers in the order in which components are complete
  std::uint32_t count = 0;
};

// next_target(node, way): where the next edge of the node leads, and kNoNode after the last one. `way` is 0 at first
// and is moved on by the call.
template <typename NextTarget>
StrongComponents FindStrongComponents(std::uint32_t nodes, const NextTarget& next_target) {
  constexpr std::uint32_t kNone = StrongComponents::kNoNode;
  struct Visit {
    std::uint32_t node = 0;
    std::size_t way = 0;
  };
  StrongComponents components{std::vector<std::uint32_t>(nodes, kNone)};
  std::vector<std::uint32_t> order(nodes, kNone);  // in which nodes are entered
  std::vector<std::uint32_t> lowest(nodes);        // the first one that a node leads back to
  std::vector<std::uint32_t> open;                 // entered, and not in a component yet
  std::vector<Visit> visits;
  std::uint32_t entered = 0;
  const auto enter = [&](std::uint32_t node) {
    order[node] = lowest[node] = entered++;
    open.push_back(node);
    visits.push_back({node, 0});
  };
  const auto leave = [&](std::uint32_t node) {
    visits.pop_back();
    if (!visits.empty()) lowest[visits.back().node] = std::min(lowest[visits.back().node], lowest[node]);
    if (lowest[node] != order[node]) return;
    std::uint32_t last = kNone;
    do {
      last = open.back();
      open.pop_back();
      components.of_node[last] = components.count;
    } while (last != node);
    ++components.count;
  };
  for (std::uint32_t root = 0; root < nodes; ++root) {
    if (order[root] != kNone) continue;
    enter(root);
    while (!visits.empty()) {
      const std::uint32_t node = visits.back().node;
      const std::uint32_t target = next_target(node, visits.back().way);
      if (target == kNone) {
        leave(node);
      } else if (order[target] == kNone) {
        enter(target);
      } else if (components.of_node[target] == kNone) {
        lowest[node] = std::min(lowest[node], order[target]);
      }
    }
  }
  return components;
}

}  // namespace pentimento
