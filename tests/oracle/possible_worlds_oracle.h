// The definition of the global guarantee (Wong, Fu, Liu, Wang, Xu: Definitions 1 and 2), world by world: a possible
// world deals the sensitive cells of every group to the rows of that group, release by release, and the chance of a
// person is the share of worlds that link the person to the item at least once. No product, no binomial, no logarithm.
// Who joins, leaves and comes back is who has rows where; several rows of a person are several rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pentimento::oracle::worlds {

// As an attacker sees it who knows everybody: whose row it is, and which group it is in. Which cell belongs to which of
// the group's rows is what the attacker does not know.
struct PublishedRow {
  std::uint32_t person = 0;
  std::uint32_t group = 0;
  std::uint32_t cell = 0;
};
using PublishedTable = std::vector<PublishedRow>;
using Item = std::set<std::uint32_t>;  // the cells that are it

struct Worlds {
  std::uint64_t all = 0;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint64_t> linked;  // by person and item; nothing for no world
};

class WorldCounter {
 public:
  // Gives up, with no world at all, beyond `most` worlds.
  static Worlds Count(const std::vector<PublishedTable>& series, const std::vector<Item>& items, std::uint64_t most) {
    WorldCounter counter(series, items);
    std::uint64_t worlds = 1;
    for (std::vector<std::uint32_t> cells : counter.cells_) {
      std::uint64_t deals = 0;
      do ++deals;
      while (worlds * deals <= most && std::next_permutation(cells.begin(), cells.end()));
      worlds *= deals;
      if (worlds > most) return {};
    }
    counter.Deal(0);
    return std::move(counter.worlds_);
  }

 private:
  WorldCounter(const std::vector<PublishedTable>& series, const std::vector<Item>& items)
      : world_(series), items_(items) {
    for (PublishedTable& table : world_) {
      std::map<std::uint32_t, std::size_t> hand_of_group;
      for (PublishedRow& row : table) {
        const auto [hand, is_new] = hand_of_group.try_emplace(row.group, rows_.size());
        if (is_new) {
          rows_.emplace_back();
          cells_.emplace_back();
        }
        rows_[hand->second].push_back(&row);
        cells_[hand->second].push_back(row.cell);
      }
    }
    for (auto& cells : cells_) std::sort(cells.begin(), cells.end());
  }

  // Every different way to deal the cells of this group, and for each of them every way to deal those that follow.
  void Deal(std::size_t hand) {
    if (hand == rows_.size()) return Look();
    std::vector<std::uint32_t> cells = cells_[hand];
    do {
      for (std::size_t i = 0; i < cells.size(); ++i) rows_[hand][i]->cell = cells[i];
      Deal(hand + 1);
    } while (std::next_permutation(cells.begin(), cells.end()));
  }

  void Look() {
    ++worlds_.all;
    std::set<std::pair<std::uint32_t, std::size_t>> linked;
    for (const PublishedTable& table : world_)
      for (const PublishedRow& row : table)
        for (std::size_t item = 0; item < items_.size(); ++item)
          if (items_[item].contains(row.cell)) linked.emplace(row.person, item);
    for (const auto& link : linked) ++worlds_.linked[link];
  }

  std::vector<PublishedTable> world_;
  const std::vector<Item>& items_;
  std::vector<std::vector<PublishedRow*>> rows_;   // by group of any release
  std::vector<std::vector<std::uint32_t>> cells_;  // likewise, ascending
  Worlds worlds_;
};

}  // namespace pentimento::oracle::worlds
