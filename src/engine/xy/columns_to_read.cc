// Which columns of an earlier release a join looks at: asked before anything is read, so of the other releases nothing
// is known but their names.
#include <algorithm>
#include <set>

#include "engine/xy/bind_join.h"

namespace pentimento {
namespace {

struct NamesOfPolicy {
  std::set<std::string> of_release;  // columns of this release that the policy names
  std::set<std::string> overlap;
  bool meets_others = false;  // some guarantee joins it with another earlier release
};

template <typename Guarantee>
void AddGuarantee(const Guarantee& guarantee, const std::string& release, NamesOfPolicy& names) {
  names.overlap.insert(guarantee.overlap.begin(), guarantee.overlap.end());
  for (const ColumnName& x : guarantee.x) {
    if (x.release == release) names.of_release.insert(x.column);
  }
  const bool is_joined = std::ranges::find(guarantee.against, release) != guarantee.against.end();
  names.meets_others |= is_joined && guarantee.against.size() > 1;
}

NamesOfPolicy NamesFor(const Policy& policy, const std::string& release) {
  NamesOfPolicy names;
  const auto add = [&](const ColumnName& name) {
    if (name.release == release) names.of_release.insert(name.column);
  };
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* anonymity = std::get_if<XyAnonymityPolicy>(&guarantee)) {
      AddGuarantee(*anonymity, release, names);
      for (const ColumnName& y : anonymity->y) add(y);
    } else if (const auto* linkability = std::get_if<XyLinkabilityPolicy>(&guarantee)) {
      AddGuarantee(*linkability, release, names);
      for (const LinkabilityLimit& limit : linkability->y) std::ranges::for_each(limit.columns, add);
    }
  }
  for (const ImpossiblePolicy& pair : policy.impossible) {
    add(pair.left);
    add(pair.right);
  }
  return names;
}

}  // namespace

std::vector<std::string> ColumnsToRead(const BoundPolicy& bound, const PublishedRelease& described) {
  const NamesOfPolicy names = NamesFor(bound.policy, described.name);
  std::vector<std::string> wanted;
  for (const EarlierColumn& column : described.columns) {
    if (column.role == Role::kKeep && !names.of_release.contains(column.name)) continue;  // nobody can judge it
    const auto here = std::ranges::find(bound.plan.columns, column.name, &ColumnPlan::name);
    const bool is_here = here != bound.plan.columns.end() && here->role != Role::kId;
    const bool has_numbers = column.range.has_value() || (is_here && here->range.has_value());
    const bool may_be_joined = !has_numbers || names.overlap.contains(column.name);
    if (names.of_release.contains(column.name) || (may_be_joined && (is_here || names.meets_others)))
      wanted.push_back(column.name);
  }
  return wanted;
}

}  // namespace pentimento
