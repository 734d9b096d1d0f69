#include "engine/global/items_of_values.h"

#include <map>

namespace pentimento {

ItemSets CollectItemSets(const GlobalClaim& claim, std::size_t column, Code value_count) {
  std::vector<std::vector<std::size_t>> items_of_code(value_count);
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (claim.items[item].column != column) continue;
    for (const Code value : claim.items[item].values) items_of_code[value].push_back(item);
  }
  ItemSets sets;
  std::map<std::vector<std::size_t>, std::uint32_t> known;
  for (const std::vector<std::size_t>& items : items_of_code) {
    const auto [place, is_new] = known.try_emplace(items, static_cast<std::uint32_t>(sets.items.size()));
    if (is_new) sets.items.push_back(items);
    sets.of_code.push_back(place->second);
  }
  return sets;
}

}  // namespace pentimento
