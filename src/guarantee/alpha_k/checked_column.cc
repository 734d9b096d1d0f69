#include "guarantee/alpha_k/checked_column.h"

#include <optional>
#include <utility>

namespace pentimento {
namespace {

struct ValueOfItem {
  Code value;
  std::uint32_t item;
};

// By counting: how many items each value has, then where they begin, then the items.
void IndexByValue(std::span<const ValueOfItem> pairs, Code value_count, CheckedItems& items) {
  items.begin_of_value.assign(std::size_t{value_count} + 1, 0);
  for (const ValueOfItem& pair : pairs) ++items.begin_of_value[pair.value + 1];
  for (Code value = 0; value < value_count; ++value) items.begin_of_value[value + 1] += items.begin_of_value[value];
  items.item_of_value.resize(pairs.size());
  std::vector<std::uint32_t> next(items.begin_of_value.begin(), items.begin_of_value.end() - 1);
  for (const ValueOfItem& pair : pairs) items.item_of_value[next[pair.value]++] = pair.item;
}

}  // namespace

CheckedItems CollectCheckedItems(const AlphaKClaim& claim, std::uint32_t column, Code value_count) {
  CheckedItems items;
  std::vector<ValueOfItem> pairs;
  std::vector<std::optional<std::uint32_t>> single(value_count);
  for (std::uint32_t l = 0; l < claim.limits.size(); ++l) {
    const SensitiveLimit& limit = claim.limits[l];
    if (limit.column != column || limit.at_most >= Ratio{1, 1}) continue;
    if (limit.together) items.items.push_back({limit.at_most, l, 0});
    for (const Code value : limit.values) {
      if (value >= value_count) continue;
      if (limit.together) {
        pairs.push_back({value, static_cast<std::uint32_t>(items.items.size() - 1)});
      } else if (!single[value]) {
        single[value] = static_cast<std::uint32_t>(items.items.size());
        pairs.push_back({value, *single[value]});
        items.items.push_back({limit.at_most, l, value});
      } else if (CheckedItem& known = items.items[*single[value]]; limit.at_most < known.at_most) {
        known = {limit.at_most, l, value};
      }
    }
  }
  IndexByValue(pairs, value_count, items);
  return items;
}

}  // namespace pentimento
