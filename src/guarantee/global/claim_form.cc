#include "guarantee/global/claim_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pentimento {
namespace {

constexpr std::uint64_t kLargestL = std::uint64_t{1} << 32;

}  // namespace

std::string NameOfItem(const GlobalClaim& claim, std::size_t item) {
  const std::string& name = claim.items[item].name;
  return name.empty() ? fmt::format("sensitive item {}", item + 1) : name;
}

Status CheckClaim(const GlobalClaim& claim) {
  if (claim.items.empty()) return Error{ErrorCode::kInternal, "the global guarantee protects nothing"};
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    const SensitiveItem& it = claim.items[item];
    if (it.l < 2 || it.l > kLargestL)
      return Error{ErrorCode::kBadPolicy, fmt::format("l of {} is {}; it must be a whole number from 2 to {}",
                                                      NameOfItem(claim, item), it.l, kLargestL)};
    if (!it.transient)
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is declared as not transient, and the global guarantee cannot be given for it: it "
                               "counts each release as a fresh draw, but who keeps a value is found by comparing who "
                               "shared a class with whom in each release; withhold the column, or declare the value "
                               "transient if it comes and goes",
                               NameOfItem(claim, item))};
  }
  return {};
}

std::optional<std::string> FindLostItems(std::span<const GuaranteePolicy> guarantees, const GlobalClaim& claim,
                                         std::size_t sensitive_columns) {
  const GlobalGuaranteePolicy* asked = nullptr;
  for (const GuaranteePolicy& guarantee : guarantees) {
    const auto* found = std::get_if<GlobalGuaranteePolicy>(&guarantee);
    if (found == nullptr) continue;
    if (asked != nullptr) return "the policy asks for it twice";
    asked = found;
  }
  if (asked == nullptr) return "the policy does not ask for it";
  // Sets may be promised less than single values, and nothing less than the least of all.
  std::uint64_t least = asked->l;
  for (const SensitiveSetPolicy& set : asked->sets) least = std::min(least, set.l);
  std::vector<bool> has_items(sensitive_columns, false);
  for (const SensitiveItem& item : claim.items) {
    if (!item.values.empty() && item.column >= sensitive_columns) return "an item is of a column that is not there";
    if (!std::ranges::is_sorted(item.values)) return "the values of an item are out of order";
    if (!item.is_asked) continue;  // it stands for nothing that this policy asks for
    if (item.l < least)
      return fmt::format("an item is verified with l = {}, but at least {} is asked for", item.l, least);
    if (item.column < sensitive_columns && item.l >= asked->l) has_items[item.column] = true;
  }
  if (std::ranges::find(has_items, false) != has_items.end()) return "a sensitive column has no item";
  for (const SensitiveSetPolicy& set : asked->sets) {
    const auto verified =
        std::ranges::count_if(claim.items, [&](const SensitiveItem& item) { return item.is_asked && item.l >= set.l; });
    if (verified == 0) return fmt::format("a set with l = {} is asked for, and no item has it", set.l);
  }
  return std::nullopt;
}

}  // namespace pentimento
