#include "engine/xy/join_claims.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/check.h"
#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Releases = std::set<std::uint32_t>;

class CommonFinder {
 public:
  CommonFinder(const Policy& policy, const ReleaseColumns& columns, const std::vector<NamedClaim>& claims)
      : policy_(policy), columns_(columns), claims_(claims) {
    for (const NamedClaim& claim : claims) overlap_.insert(claim.overlap.begin(), claim.overlap.end());
  }

  Result<CommonColumns> Run() {
    std::set<std::string> seen;
    for (std::uint32_t release = 0; release < columns_.release_count(); ++release) {
      for (const NamedColumn& column : columns_.columns(release)) {
        if (!seen.insert(column.name).second) continue;
        for (const Releases& joined : XyReleasesWith(column.name)) {
          if (joined.size() > 1) PENTIMENTO_RETURN_IF_ERROR(Take(column.name, joined));
        }
      }
    }
    for (const NamedClaim& claim : claims_) PENTIMENTO_RETURN_IF_ERROR(CheckOverlap(claim));
    for (const NamedClaim& claim : claims_) PENTIMENTO_RETURN_IF_ERROR(CheckSameOverlap(claim));
    return std::move(common_);
  }

 private:
  // The releases that have the column, those together that some guarantee joins with each other.
  std::vector<Releases> XyReleasesWith(const std::string& name) const {
    std::vector<Releases> parts;
    for (const NamedClaim& claim : claims_) {
      Releases joined;
      for (std::uint32_t release = 0; release < columns_.release_count(); ++release) {
        if (claim.Joins(release) && columns_.Find(release, name)) joined.insert(release);
      }
      std::erase_if(parts, [&](const Releases& part) {
        const bool meets = std::ranges::any_of(part, [&](std::uint32_t release) { return joined.contains(release); });
        if (meets) joined.insert(part.begin(), part.end());
        return meets;
      });
      parts.push_back(std::move(joined));
    }
    return parts;
  }

  Status Take(const std::string& name, const Releases& releases) {
    JoinAttribute all{name, {}, false}, texts{name, {}, false};
    bool has_categories = false;
    for (const std::uint32_t release : releases) {
      const ColumnPlace place = *columns_.Find(release, name);
      const CellForm form = columns_.at(place).form;
      all.columns.push_back(place);
      all.has_numbers |= form == CellForm::kNumbers;
      has_categories |= form == CellForm::kCategories;
      if (form == CellForm::kTexts && columns_.at(place).can_join) texts.columns.push_back(place);
    }
    if (releases.contains(0)) PENTIMENTO_RETURN_IF_ERROR(CheckHere(all, has_categories));
    const auto unknown = [&](ColumnPlace place) { return !columns_.at(place).can_join; };
    if (std::ranges::any_of(all.columns, unknown) && !all.has_numbers) {
      std::erase_if(all.columns, unknown);
      if (all.columns.size() < 2) return {};
    }
    if (!all.has_numbers || (overlap_.contains(name) && !has_categories)) {
      common_.joined.push_back(std::move(all));
      return {};
    }
    common_.apart.push_back(std::move(all));
    if (texts.columns.size() > 1) common_.joined.push_back(std::move(texts));
    return {};
  }

  // What is out already cannot be made otherwise; a column of the new release can.
  Status CheckHere(const JoinAttribute& attribute, bool has_categories) const {
    const NamedColumn& here = columns_.at(attribute.columns.front());
    const std::string there = columns_.ReleaseWritten(attribute.columns[1].release);
    if (here.role == Role::kKeep) {
      return PolicyError(
          policy_, here.position,
          fmt::format("column '{}' has the role keep and is in {} as well: its cells would link "
                      "records directly, unchecked; make it a quasi-identifier, drop it, or rename it if "
                      "it is something else",
                      here.name, there));
    }
    if (!attribute.has_numbers || !has_categories) return {};
    return PolicyError(
        policy_, here.position,
        fmt::format("column '{}' is a column of numbers in one release and of categories in another ({}), "
                    "so its values cannot be compared; declare it as it was declared there, drop it, or "
                    "rename it if it is something else",
                    here.name, there));
  }

  Status CheckOverlap(const NamedClaim& claim) const {
    for (const std::string& name : claim.overlap) {
      const auto is_it = [&](const JoinAttribute& attribute) { return attribute.name == name; };
      const auto joined = std::ranges::find_if(common_.joined, is_it);
      if (joined != common_.joined.end() && joined->has_numbers) continue;
      std::vector<std::string> numbers;
      for (const auto* list : {&common_.joined, &common_.apart}) {
        for (const JoinAttribute& attribute : *list) {
          if (attribute.has_numbers) numbers.push_back(attribute.name);
        }
      }
      return PolicyError(
          policy_, claim.position,
          fmt::format("overlap names '{}', which is not a column of numbers that several of the releases "
                      "have; take it out, or name such a column.{}",
                      name, DidYouMean(name, numbers)));
    }
    return {};
  }

  // There is one join for all guarantees. One that did not say by which numbers it matches would promise another join
  // than the one that is verified.
  Status CheckSameOverlap(const NamedClaim& claim) const {
    for (const JoinAttribute& attribute : common_.joined) {
      if (!attribute.has_numbers || std::ranges::find(claim.overlap, attribute.name) != claim.overlap.end()) continue;
      const auto joined = std::ranges::count_if(attribute.columns,
                                                [&](const ColumnPlace& place) { return claim.Joins(place.release); });
      if (joined < 2) continue;
      return PolicyError(policy_, claim.position,
                         fmt::format("another guarantee matches '{0}' by overlap, and all guarantees of a policy are "
                                     "about one join; write '{0}' under overlap here as well, or nowhere",
                                     attribute.name));
    }
    return {};
  }

  const Policy& policy_;
  const ReleaseColumns& columns_;
  const std::vector<NamedClaim>& claims_;
  std::set<std::string> overlap_;  // of all guarantees: there is one join
  CommonColumns common_;
};

Status CheckBothSides(const Policy& policy, const ReleaseColumns& columns, const JoinAttribute& attribute,
                      const NamedClaim& claim) {
  std::optional<NamedPlace> there;
  std::optional<ColumnPlace> lacking;
  for (const ColumnPlace place : attribute.columns) {
    if (!claim.Joins(place.release)) continue;
    const auto found = std::ranges::find(claim.x, place, &NamedPlace::place);
    if (found != claim.x.end()) there = *found;
    if (found == claim.x.end() && !lacking) lacking = place;
  }
  if (!there || !lacking) return {};
  return PolicyError(
      policy, there->position,
      fmt::format("x holds '{}', a common column, on one side only: the other side may be more specific; "
                  "add '{}' to x, or take '{}' out",
                  columns.Written(there->place), columns.Written(*lacking), columns.Written(there->place)));
}

Status CheckDisjoint(const Policy& policy, const ReleaseColumns& columns, const NamedClaim& claim) {
  for (const NamedPlace& y : claim.y) {
    if (y.place.column == ColumnPlace::kWho) continue;
    for (const NamedPlace& x : claim.x) {
      if (columns.at(x.place).name != columns.at(y.place).name) continue;
      const std::string what = x.place == y.place ? fmt::format("'{}' is in x and in y", columns.Written(x.place))
                                                  : fmt::format("'{}' in y is the other side's copy of '{}' in x",
                                                                columns.Written(y.place), columns.Written(x.place));
      return PolicyError(policy, y.position,
                         fmt::format("{}: who knows one knows the other; take it out of one of them", what));
    }
  }
  return {};
}

class Namer {
 public:
  Namer(const Policy& policy, const ReleaseColumns& columns) : policy_(policy), columns_(columns) {}

  Result<NamedClaim> Name(const XyAnonymityPolicy& guarantee) const {
    NamedClaim claim;
    claim.type = "xy-anonymity";
    claim.k = guarantee.k;
    PENTIMENTO_RETURN_IF_ERROR(NameSides(guarantee, claim));
    PENTIMENTO_ASSIGN(claim.y, NameList(guarantee.y, NameUse::kY, claim.against));
    return claim;
  }

  Result<NamedClaim> Name(const XyLinkabilityPolicy& guarantee) const {
    NamedClaim claim;
    claim.type = "xy-linkability";
    PENTIMENTO_RETURN_IF_ERROR(NameSides(guarantee, claim));
    for (const LinkabilityLimit& limit : guarantee.y) {
      PENTIMENTO_ASSIGN(std::vector<NamedPlace> y, NameList(limit.columns, NameUse::kTarget, claim.against));
      claim.y.insert(claim.y.end(), y.begin(), y.end());
      claim.limits.push_back({&limit, std::move(y)});
    }
    return claim;
  }

  Result<NamedImpossible> Name(const ImpossiblePolicy& pair) const {
    std::vector<std::uint32_t> all(columns_.release_count() - 1);
    std::iota(all.begin(), all.end(), 1U);
    PENTIMENTO_ASSIGN(const ColumnPlace left, columns_.Resolve(pair.left, NameUse::kImpossible, all));
    PENTIMENTO_ASSIGN(const ColumnPlace right, columns_.Resolve(pair.right, NameUse::kImpossible, all));
    if (left.release == right.release) {
      return PolicyError(
          policy_, pair.right.position,
          fmt::format("'{}' and '{}' are columns of one release, but an impossible pair excludes matches "
                      "between two; name a column of another release",
                      columns_.Written(left), columns_.Written(right)));
    }
    return NamedImpossible{left, right, &pair};
  }

 private:
  template <typename Guarantee>
  Status NameSides(const Guarantee& guarantee, NamedClaim& claim) const {
    claim.position = guarantee.position;
    claim.overlap = guarantee.overlap;
    claim.allows_dangling = guarantee.allows_dangling;
    PENTIMENTO_ASSIGN(claim.against, NameReleases(guarantee.against, guarantee.position));
    PENTIMENTO_ASSIGN(claim.x, NameList(guarantee.x, NameUse::kX, claim.against));
    return {};
  }

  Result<std::vector<std::uint32_t>> NameReleases(const std::vector<std::string>& names,
                                                  SourcePosition position) const {
    std::vector<std::uint32_t> releases;
    for (const std::string& name : names) {
      const auto release = columns_.FindRelease(name);
      Check(release.has_value(), "every release that a guarantee names was read");
      if (std::ranges::find(releases, *release) != releases.end()) {
        return PolicyError(policy_, position,
                           fmt::format("'against' names release '{}' twice, but nobody joins a release with itself; "
                                       "name it once",
                                       name));
      }
      releases.push_back(*release);
    }
    std::ranges::sort(releases);
    return releases;
  }

  Result<std::vector<NamedPlace>> NameList(const std::vector<ColumnName>& names, NameUse use,
                                           std::span<const std::uint32_t> against) const {
    std::vector<NamedPlace> places;
    for (const ColumnName& name : names) {
      PENTIMENTO_ASSIGN(const ColumnPlace place, columns_.Resolve(name, use, against));
      if (std::ranges::find(places, place, &NamedPlace::place) != places.end()) {
        return PolicyError(policy_, name.position,
                           fmt::format("'{}' stands twice in {}; name it once", columns_.Written(place),
                                       use == NameUse::kX ? "x" : "y"));
      }
      places.push_back({place, name.position});
    }
    return places;
  }

  const Policy& policy_;
  const ReleaseColumns& columns_;
};

}  // namespace

Result<CommonColumns> FindCommonColumns(const Policy& policy, const ReleaseColumns& columns,
                                        const std::vector<NamedClaim>& claims) {
  return CommonFinder(policy, columns, claims).Run();
}

Status CheckSides(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                  const std::vector<NamedClaim>& claims) {
  for (const NamedClaim& claim : claims) {
    PENTIMENTO_RETURN_IF_ERROR(CheckDisjoint(policy, columns, claim));
    for (const JoinAttribute& attribute : common.joined) {
      PENTIMENTO_RETURN_IF_ERROR(CheckBothSides(policy, columns, attribute, claim));
    }
  }
  return {};
}

bool NamedClaim::Joins(std::uint32_t release) const {
  return release == 0 || std::ranges::find(against, release) != against.end();
}

Result<NamedClaims> NameClaims(const Policy& policy, const ReleaseColumns& columns) {
  const Namer namer(policy, columns);
  NamedClaims named;
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* anonymity = std::get_if<XyAnonymityPolicy>(&guarantee)) {
      PENTIMENTO_ASSIGN(NamedClaim claim, namer.Name(*anonymity));
      named.claims.push_back(std::move(claim));
    } else if (const auto* linkability = std::get_if<XyLinkabilityPolicy>(&guarantee)) {
      PENTIMENTO_ASSIGN(NamedClaim claim, namer.Name(*linkability));
      named.claims.push_back(std::move(claim));
    }
  }
  for (const ImpossiblePolicy& pair : policy.impossible) {
    PENTIMENTO_ASSIGN(NamedImpossible impossible, namer.Name(pair));
    named.impossible.push_back(impossible);
  }
  return named;
}

}  // namespace pentimento
