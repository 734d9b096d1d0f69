// The guarantees over a join and the impossible pairs of a policy, with their names resolved; and which columns the
// releases have in common, and which of them somebody joins.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/xy/release_columns.h"
#include "policy/policy.h"

namespace pentimento {

struct NamedPlace {
  ColumnPlace place;
  SourcePosition position;
};

// A limit of xy-linkability: its columns, in the order in which its values have their texts.
struct NamedLimit {
  const LinkabilityLimit* policy;
  std::vector<NamedPlace> y;
};

struct NamedClaim {
  std::string_view type;               // as the policy writes it
  std::vector<std::uint32_t> against;  // ascending
  std::vector<NamedPlace> x;
  std::vector<NamedPlace> y;       // of xy-linkability: those of all limits, one after the other
  std::uint64_t k = 0;             // xy-anonymity
  std::vector<NamedLimit> limits;  // xy-linkability
  std::span<const std::string> overlap;
  bool allows_dangling = false;
  SourcePosition position;

  bool is_linkability() const { return !limits.empty(); }
  bool Joins(std::uint32_t release) const;  // the new one is always joined
};

struct NamedImpossible {
  ColumnPlace left;
  ColumnPlace right;
  const ImpossiblePolicy* policy;
};

// Points into the policy it was made from.
struct NamedClaims {
  std::vector<NamedClaim> claims;
  std::vector<NamedImpossible> impossible;
};

// kBadPolicy for names that nothing has, or that stand where they mean nothing.
Result<NamedClaims> NameClaims(const Policy& policy, const ReleaseColumns& columns);

// Columns of one name, at most one of each release, in the order of the releases.
struct JoinAttribute {
  std::string name;
  std::vector<ColumnPlace> columns;
  bool has_numbers = false;
};

struct CommonColumns {
  std::vector<JoinAttribute> joined;
  std::vector<JoinAttribute> apart;  // numbers, where no guarantee says that intervals are compared
};

// kBadPolicy for what would link records in a way that nobody could promise anything about.
Result<CommonColumns> FindCommonColumns(const Policy& policy, const ReleaseColumns& columns,
                                        const std::vector<NamedClaim>& claims);

// X holds all columns of a joined attribute or none, and no attribute is in X and in Y. Otherwise kBadPolicy.
Status CheckSides(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                  const std::vector<NamedClaim>& claims);

}  // namespace pentimento
