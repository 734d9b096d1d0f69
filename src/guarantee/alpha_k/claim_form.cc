#include "guarantee/alpha_k/claim_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace pentimento {
namespace {

std::optional<std::string> FindWrongColumn(std::size_t rows, std::span<const CodeColumn* const> sensitive) {
  if (sensitive.empty()) return "there is no sensitive column to be verified";
  for (std::size_t c = 0; c < sensitive.size(); ++c) {
    if (sensitive[c] == nullptr) return fmt::format("sensitive column {} was not handed over", c + 1);
    if (sensitive[c]->size() == rows) continue;
    return fmt::format("sensitive column {} has {} codes for {} rows", c + 1, sensitive[c]->size(), rows);
  }
  return std::nullopt;
}

std::optional<std::string> FindWeakerLimit(const AlphaKAnonymityPolicy& policy, const AlphaKClaim& claim,
                                           std::size_t columns) {
  if (claim.k != policy.k) return fmt::format("the policy asks for k = {}, {} was to be verified", policy.k, claim.k);
  if (claim.limits.size() != columns + policy.limits.size())
    return fmt::format("the policy asks for alpha in {} columns and for {} limits, {} limits were to be verified",
                       columns, policy.limits.size(), claim.limits.size());
  for (std::size_t l = 0; l < claim.limits.size(); ++l) {
    const SensitiveLimit& limit = claim.limits[l];
    const bool is_alpha = l < columns;
    const Ratio asked = is_alpha ? policy.alpha : policy.limits[l - columns].at_most;
    if (limit.at_most != asked)
      return fmt::format("limit {} is {} in the policy, {} was to be verified", l + 1, ToString(asked),
                         ToString(limit.at_most));
    if (limit.together == is_alpha || (is_alpha && limit.column != l))
      return fmt::format("limit {} is for other values than in the policy", l + 1);
    if (is_alpha) continue;
    const auto& names = policy.limits[l - columns].values;
    const std::set<std::string> distinct(names.begin(), names.end());
    if (limit.values.size() != distinct.size())
      return fmt::format("limit {} names {} values in the policy, {} were to be verified", l + 1, distinct.size(),
                         limit.values.size());
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMalformedClaim(const AlphaKClaim& claim, std::size_t sensitive_columns) {
  for (std::size_t l = 0; l < claim.limits.size(); ++l) {
    const SensitiveLimit& limit = claim.limits[l];
    if (limit.column >= sensitive_columns)
      return fmt::format("limit {} is for sensitive column {} of {}", l + 1, limit.column + 1, sensitive_columns);
    if (limit.values.empty()) return fmt::format("limit {} is for no value at all", l + 1);
    if (!std::ranges::is_sorted(limit.values, std::ranges::less_equal{}))
      return fmt::format("the values of limit {} are not in order", l + 1);
    if (limit.at_most.den == 0) return fmt::format("limit {} is no fraction", l + 1);
  }
  return std::nullopt;
}

std::optional<std::string> FindLostAlphaK(std::span<const GuaranteePolicy> guarantees, const AlphaKClaim* claim,
                                          std::size_t rows, std::span<const CodeColumn* const> sensitive) {
  std::vector<const AlphaKAnonymityPolicy*> asked;
  for (const GuaranteePolicy& guarantee : guarantees) {
    if (const auto* policy = std::get_if<AlphaKAnonymityPolicy>(&guarantee)) asked.push_back(policy);
  }
  if (asked.empty() && claim == nullptr) return std::nullopt;
  if (asked.size() != 1)
    return fmt::format("the policy asks for {} of them, {} was to be verified", asked.size(), claim == nullptr ? 0 : 1);
  if (claim == nullptr) return "the sensitive values were not looked at";
  if (auto wrong = FindWrongColumn(rows, sensitive)) return wrong;
  if (auto wrong = FindMalformedClaim(*claim, sensitive.size())) return wrong;
  return FindWeakerLimit(*asked.front(), *claim, sensitive.size());
}

}  // namespace pentimento
