#include "engine/xy/join_claims.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

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
