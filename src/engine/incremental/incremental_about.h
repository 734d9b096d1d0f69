// What every release of a series must agree on, as the ledger keeps it with each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct IncrementalAbout {
  std::string series;
  std::string release;               // the one that this was kept with
  CaseNamer::Key case_key{};         // private: it links public names to the order of arrival
  std::uint64_t smallest_class = 0;  // no class of this release has fewer cases
  // No class that this release published a box for first had fewer people to make up for it: ClassCounts.
  std::uint64_t fewest_in_new_class = 0;
  std::string columns;  // quasi-identifiers with their domains, as canonical JSON
  std::string missing;  // what counts as missing, as JSON
  std::string cells;    // the other columns with role and type, as canonical JSON
  std::string form;     // "taxonomy" or "sets"
  std::uint64_t k = 0;  // what this release promised over the whole series
  bool hides_arrivals = false;
  bool keeps_leavers = false;  // published the rows of people who left as they were
  bool has_ids = false;
  std::vector<bool> allows_missing;  // by quasi-identifier: whether its domain holds the missing value
};

// What the policy says of it, before anything is read: all but the types of cells and what may be missing.
IncrementalAbout DescribePolicy(const BoundPolicy& bound, const IncrementalKAnonymityPolicy& guarantee);
// With what only the input tells. `domains` are those of the series; `input` knows the types of the other columns.
IncrementalAbout WithInput(IncrementalAbout about, std::span<const Domain> domains, const EncodedInput& input);

std::string ToJson(const IncrementalAbout& about);
std::optional<IncrementalAbout> ParseIncrementalAbout(std::string_view json);

// The quasi-identifiers of a series, in its order.
std::vector<std::string> QuasiIdentifiersOf(const IncrementalAbout& about);
// The other columns, those that are published as they came.
std::set<std::string> CellNamesOf(const IncrementalAbout& about);
// Those of them that nobody should learn.
std::vector<std::string> SensitiveNamesOf(const IncrementalAbout& about);
// What stands for the taxonomy of a quasi-identifier: equal texts have equal hashes. Nothing where it has none.
std::optional<std::string> TaxonomyHashOf(const IncrementalAbout& about, std::string_view column);
std::string HashOfTaxonomy(const Taxonomy& taxonomy);

// Why a release cannot continue a series, in words.
struct IncrementalBreak {
  std::string why;
  std::string what_to_do = "make the policy agree";  // or begin another series, which is always possible
  std::string column = {};                           // the column of the policy that it is about, if there is one
};

// Why a policy described by `now` cannot follow those described by `before`; nothing where it can. Quasi-identifiers
// are in the order of the series. Other columns may come and go, because the promise is not about them; one that
// earlier releases had is of the same role.
std::optional<IncrementalBreak> FindBreak(std::span<const IncrementalAbout> before, const IncrementalAbout& now);
// The same for what the input tells: such a column is of the same type, too.
std::optional<IncrementalBreak> FindOtherType(std::span<const IncrementalAbout> before, const IncrementalAbout& now);

// Why `k` cannot be promised from now on over a series that this release is part of, in words; nothing where it can.
std::optional<std::string> FindTooFewFor(std::uint64_t k, const IncrementalAbout& about);

}  // namespace pentimento
