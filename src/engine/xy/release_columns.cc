#include "engine/xy/release_columns.h"

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

CellForm FormOf(const ColumnPlan& column) {
  if (column.role != Role::kQuasiIdentifier) return CellForm::kTexts;
  return column.taxonomy ? CellForm::kCategories : CellForm::kNumbers;
}

CellForm FormOf(const PublishedColumn& column) {
  if (column.role != Role::kQuasiIdentifier) return CellForm::kTexts;
  return column.taxonomy ? CellForm::kCategories : CellForm::kNumbers;
}

SourcePosition PositionOf(const Policy& policy, std::string_view name) {
  const auto found = std::ranges::find(policy.columns, name, &ColumnPolicy::name);
  return found == policy.columns.end() ? SourcePosition{} : found->position;
}

std::vector<NamedColumn> ColumnsHere(const BoundPolicy& bound) {
  std::vector<NamedColumn> columns;
  std::uint32_t quasi_identifiers = 0, values = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kId) continue;
    NamedColumn named{column.name, column.role, FormOf(column), 0, PositionOf(bound.policy, column.name), true};
    if (column.role == Role::kQuasiIdentifier) named.number = quasi_identifiers++;
    if (column.role == Role::kSensitive || column.role == Role::kClass) named.number = values++;
    columns.push_back(std::move(named));
  }
  return columns;
}

// What a policy says of one release.
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
    if (column.role == Role::kKeep && !names.of_release.contains(column.name)) continue;  // nobody can verify it
    const auto here = std::ranges::find(bound.plan.columns, column.name, &ColumnPlan::name);
    const bool is_here = here != bound.plan.columns.end() && here->role != Role::kId;
    const bool has_numbers = column.range.has_value() || (is_here && here->range.has_value());
    const bool may_be_joined = !has_numbers || names.overlap.contains(column.name);
    if (names.of_release.contains(column.name) || (may_be_joined && (is_here || names.meets_others)))
      wanted.push_back(column.name);
  }
  return wanted;
}

ReleaseColumns::ReleaseColumns(const BoundPolicy& bound, std::span<const PublishedRelease> earlier)
    : policy_(bound.policy), earlier_(earlier) {
  columns_.push_back(ColumnsHere(bound));
  for (const PublishedRelease& release : earlier) {
    columns_.emplace_back();
    for (const EarlierColumn& column : release.columns) {
      const auto number = static_cast<std::uint32_t>(columns_.back().size());
      columns_.back().push_back({column.name, column.role, FormOf(column), number, {}, column.was_read});
    }
  }
  const auto id = std::ranges::find(bound.plan.columns, Role::kId, &ColumnPlan::role);
  if (id != bound.plan.columns.end()) id_ = id->name;
}

std::optional<ColumnPlace> ReleaseColumns::Find(std::uint32_t release, std::string_view name) const {
  const auto found = std::ranges::find(columns_[release], name, &NamedColumn::name);
  if (found == columns_[release].end()) return std::nullopt;
  return ColumnPlace{release, static_cast<std::uint32_t>(found - columns_[release].begin())};
}

std::optional<std::uint32_t> ReleaseColumns::FindRelease(std::string_view name) const {
  const auto found = std::ranges::find(earlier_, name, &PublishedRelease::name);
  if (found == earlier_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - earlier_.begin() + 1);
}

std::string ReleaseColumns::Written(ColumnPlace place) const {
  const std::string& name = place.column == ColumnPlace::kWho ? id_ : at(place).name;
  return ColumnName{place.release == 0 ? "" : earlier_[place.release - 1].name, name, {}}.Written();
}

std::string ReleaseColumns::ReleaseWritten(std::uint32_t release) const {
  return release == 0 ? "this table" : fmt::format("release '{}'", earlier_[release - 1].name);
}

Error ReleaseColumns::Unknown(const ColumnName& name, std::uint32_t release) const {
  std::vector<std::string> names;
  for (const NamedColumn& column : columns_[release]) names.push_back(column.name);
  if (!id_.empty()) names.push_back(id_);
  const std::string where = release == 0 ? "the policy gives this table" : ReleaseWritten(release) + " has";
  return PolicyError(policy_, name.position,
                     fmt::format("{} no column '{}'; name one that is published there.{}", where, name.column,
                                 DidYouMean(name.column, names)));
}

// Nobody publishes who a row is about, so it can be counted and nothing else.
Result<ColumnPlace> ReleaseColumns::ResolveWho(const ColumnName& name, NameUse use, std::uint32_t release) const {
  const ColumnPlace who{release, ColumnPlace::kWho};
  switch (use) {
    case NameUse::kY:
      return who;
    case NameUse::kX:
      return PolicyError(policy_, name.position,
                         fmt::format("'{}' says who a row is about and is not published, so nobody can look it up; "
                                     "take it out of x, it belongs into y",
                                     Written(who)));
    case NameUse::kTarget:
      return PolicyError(policy_, name.position,
                         fmt::format("'{}' says who a row is about and is not published, so no value of it can be "
                                     "inferred; ask for xy-anonymity with y = [\"{}\"] instead",
                                     Written(who), Written(who)));
    case NameUse::kImpossible:
      break;
  }
  return PolicyError(policy_, name.position,
                     fmt::format("'{}' says who a row is about and is not published, so it excludes no match; name a "
                                 "column that is published",
                                 Written(who)));
}

Result<ColumnPlace> ReleaseColumns::ResolveHere(const ColumnName& name, NameUse use) const {
  if (!id_.empty() && name.column == id_) return ResolveWho(name, use, 0);
  const auto place = Find(0, name.column);
  if (!place) return Unknown(name, 0);
  if (at(*place).role == Role::kKeep) {
    return PolicyError(policy_, name.position,
                       fmt::format("'{}' has the role keep, so its cells pass by unread; make it a quasi-identifier, "
                                   "sensitive or class",
                                   name.column));
  }
  return *place;
}

Result<ColumnPlace> ReleaseColumns::Resolve(const ColumnName& name, NameUse use,
                                            std::span<const std::uint32_t> against) const {
  if (name.release.empty()) return ResolveHere(name, use);
  const auto release = FindRelease(name.release);
  if (!release || std::ranges::find(against, *release) == against.end()) {
    std::vector<std::string> names;
    for (const std::uint32_t joined : against) names.push_back(earlier_[joined - 1].name);
    const std::string_view where = use == NameUse::kImpossible ? "of any guarantee" : "of this guarantee";
    return PolicyError(policy_, name.position,
                       fmt::format("release '{}' is not in 'against' {}; add it there, or take '{}' out.{}",
                                   name.release, where, name.Written(), DidYouMean(name.release, names)));
  }
  if (const auto place = Find(*release, name.column)) return *place;
  if (!id_.empty() && name.column == id_) return ResolveWho(name, use, *release);
  return Unknown(name, *release);
}

}  // namespace pentimento
