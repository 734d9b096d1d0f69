#include "engine/incremental/follow_incremental.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
#include "engine/steps/one_row_each.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

std::optional<std::size_t> FindCode(const CodeColumn& column, Code code) {
  return column.Visit([&](auto codes) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(codes, code);
    if (found == codes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - codes.begin());
  });
}

std::string PlaceOf(const EncodedInput& input, const BoundPolicy& bound, std::size_t row) {
  return RowPlaces{bound.policy.inputs, input.rows_after_part}.Of(row);
}

// A quarter of all codes, so that arithmetic on intervals of codes never wraps.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 30;
constexpr const char* kMostValuesText = "1,073,741,824";

// Not where a grid would have too many values, or where some value lies between its points.
bool FitsOnGrid(const NumericRange& range, int declared_scale) {
  const std::uint64_t width = static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo);
  return range.scale == declared_scale && width < kMostValues;
}

// From codes that count the values that occur to codes that count all there could be.
void PutOnGrid(Domain& domain, CodeColumn& column) {
  NumericRange grid = domain.range();
  grid.points.clear();
  Domain wide(std::move(grid), domain.missing_code().has_value());
  CodeColumn codes(wide.size(), column.size());
  column.Visit([&](auto ranks) {
    codes.VisitMutable([&](auto& places) {
      using Place = typename std::remove_cvref_t<decltype(places)>::value_type;
      for (std::size_t row = 0; row < ranks.size(); ++row) {
        places[row] = static_cast<Place>(
            domain.IsMissing(ranks[row]) ? *wide.missing_code() : domain.range().point(ranks[row]) - domain.range().lo);
      }
    });
  });
  domain = std::move(wide);
  column = std::move(codes);
}

// The first row with more decimals than the ends of the declared domain.
std::optional<std::size_t> FindFiner(const CodeColumn& column, const Domain& domain, int declared_scale) {
  const NumericRange& range = domain.range();
  std::int64_t units = 1;  // of the range, in one of the declared domain
  for (int scale = declared_scale; scale < range.scale; ++scale) units *= 10;
  return column.Visit([&](auto codes) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(
        codes, [&](auto code) { return !domain.IsMissing(code) && (range.point(code) - range.lo) % units != 0; });
    if (found == codes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - codes.begin());
  });
}

int DeclaredScale(const BoundPolicy& bound, const std::string& name) {
  const auto& ends = std::ranges::find(bound.plan.columns, name, &ColumnPlan::name)->range;
  return std::max(ends->first.scale, ends->second.scale);
}

bool MayBeMissing(const BoundPolicy& bound, const std::string& name) {
  return std::ranges::any_of(bound.policy.columns,
                             [&](const ColumnPolicy& column) { return column.name == name && column.may_be_missing; });
}

Error NeedsAGrid(const EncodedInput& input, const BoundPolicy& bound, std::size_t column, bool has_begun) {
  const std::string& name = bound.quasi_identifiers[column];
  const std::optional<std::size_t> row =
      FindFiner(input.table.quasi_identifiers[column], input.domains[column], DeclaredScale(bound, name));
  if (!row) {
    return {ErrorCode::kBadInput,
            fmt::format("column '{}': a series needs a fixed grid of at most {} values, but the domain is wider; "
                        "declare a narrower one, or one with fewer decimals",
                        name, kMostValuesText)};
  }
  return {ErrorCode::kBadInput,
          fmt::format("{}, column '{}': the cell has more decimals than the ends of the domain, but a series needs a "
                      "fixed grid of values; {}",
                      PlaceOf(input, bound, *row), name,
                      has_begun ? "round the values: a series that has begun keeps its domain"
                                : "say with decimals = N, for this column of the policy, how many they have")};
}

Error BeganWithoutMissing(const std::string& place, const std::string& name) {
  return {
      ErrorCode::kBadInput,
      fmt::format("{}, column '{}': the cell is missing, but the series began without missing "
                  "values there; fill it in, or begin a new series (with may_be_missing = true for this column, where "
                  "none is missing at first)",
                  place, name)};
}

void OrderAsBefore(const std::vector<std::string>& names, BoundPolicy& bound) {
  if (!std::ranges::is_permutation(names, bound.quasi_identifiers)) return;
  bound.quasi_identifiers = names;
  std::vector<ColumnPlan> plans;
  for (const std::string& name : names)
    plans.push_back(*std::ranges::find(bound.plan.columns, name, &ColumnPlan::name));
  auto next = plans.begin();
  for (ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kQuasiIdentifier) column = std::move(*next++);
  }
}

// As one of the releases was published with it. What lies there counts only if its hash is that in the ledger.
std::optional<Taxonomy> PublishedTaxonomy(const IncrementalMemory& series, const ColumnPlan& column,
                                          const std::string& hash) {
  for (const std::filesystem::path& folder : series.folders()) {
    Result<Taxonomy> taxonomy = ReadPublishedTaxonomy(folder, TaxonomyFileName(column));
    if (taxonomy.ok() && HashOfTaxonomy(*taxonomy) == hash) return std::move(taxonomy).value();
  }
  return std::nullopt;
}

// What `now` has below its nodes and `before` has not, or elsewhere. A label names one node; roots are all published
// as "*".
struct TreeDifference {
  std::size_t new_leaves = 0;
  std::size_t lost_leaves = 0;
  bool is_same = true;
};

TreeDifference Compare(const Taxonomy& before, const Taxonomy& now) {
  TreeDifference difference;
  difference.is_same = before.nodes().size() == now.nodes().size();
  for (Taxonomy::NodeId id = 1; id < now.nodes().size(); ++id) {
    const Taxonomy::Node& node = now.node(id);
    const auto twin = before.FindNode(node.label);
    if (node.children.empty() && !before.FindLeaf(node.label)) ++difference.new_leaves;
    if (!twin || *twin == Taxonomy::kRoot || before.node(*twin).children.size() != node.children.size()) {
      difference.is_same = false;
      continue;
    }
    const Taxonomy::NodeId parent = before.node(*twin).parent;
    const bool is_below_root = node.parent == Taxonomy::kRoot;
    if (is_below_root != (parent == Taxonomy::kRoot) ||
        (!is_below_root && now.node(node.parent).label != before.node(parent).label))
      difference.is_same = false;
  }
  for (Code code = 0; code < before.leaf_count(); ++code)
    difference.lost_leaves += now.FindLeaf(before.leaf_label(code)) ? 0 : 1;
  return difference;
}

std::string Leaves(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "leaf" : "leaves"); }

IncrementalBreak OtherTree(const std::string& column, const TreeDifference& difference) {
  std::string what = "some labels stand below others than before";
  if (difference.new_leaves > 0)
    what = fmt::format("it has {} that the series did not begin with", Leaves(difference.new_leaves));
  if (difference.lost_leaves > 0) {
    what = fmt::format("{}{} of the series {} gone", difference.new_leaves > 0 ? what + ", and " : "",
                       Leaves(difference.lost_leaves), difference.lost_leaves == 1 ? "is" : "are");
  }
  return {.why = fmt::format("the taxonomy of column '{}' is not the one it began with: {}. Labels which are out would "
                             "change their meaning",
                             column, what),
          .what_to_do = "take the one it began with",
          .column = column};
}

}  // namespace

Result<std::vector<Domain>> FixDomains(EncodedInput& input, const BoundPolicy& bound,
                                       std::span<const IncrementalAbout> earlier) {
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    Domain& domain = input.domains[c];
    if (domain.is_numeric() && !domain.range().points.empty()) {
      if (!FitsOnGrid(domain.range(), DeclaredScale(bound, bound.quasi_identifiers[c])))
        return NeedsAGrid(input, bound, c, !earlier.empty());
      PutOnGrid(domain, input.table.quasi_identifiers[c]);
    }
    const auto missing = domain.missing_code();
    const std::optional<std::size_t> row =
        missing ? FindCode(input.table.quasi_identifiers[c], *missing) : std::nullopt;
    const bool allows = earlier.empty() ? row || MayBeMissing(bound, bound.quasi_identifiers[c])
                                        : c < earlier[0].allows_missing.size() && earlier[0].allows_missing[c];
    if (row && !allows) return BeganWithoutMissing(PlaceOf(input, bound, *row), bound.quasi_identifiers[c]);
    domains.push_back(domain.is_numeric() ? Domain(domain.range(), allows)
                                          : Domain(std::make_shared<const Taxonomy>(domain.taxonomy()), allows));
  }
  return domains;
}

Status FollowIncremental(const IncrementalMemory& series, BoundPolicy& bound,
                         const IncrementalKAnonymityPolicy& guarantee) {
  if (series.is_new()) return {};
  const IncrementalAbout& first = series.abouts().front();
  OrderAsBefore(QuasiIdentifiersOf(first), bound);
  for (ColumnPlan& column : bound.plan.columns) {
    if (!column.taxonomy) continue;
    const std::optional<std::string> hash = TaxonomyHashOf(first, column.name);
    if (!hash || *hash == HashOfTaxonomy(*column.taxonomy)) continue;
    std::optional<Taxonomy> published = PublishedTaxonomy(series, column, *hash);
    if (!published) continue;
    const TreeDifference difference = Compare(*published, *column.taxonomy);
    if (!difference.is_same) return CannotContinue(bound.policy, guarantee, OtherTree(column.name, difference));
    column.taxonomy = std::make_shared<const Taxonomy>(*std::move(published));
  }
  return {};
}

Error CannotContinue(const Policy& policy, const IncrementalKAnonymityPolicy& guarantee,
                     const IncrementalBreak& found) {
  SourcePosition position = policy.release_position;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.name == found.column) position = column.position;
  }
  return PolicyError(policy, position,
                     fmt::format("this release cannot continue the series '{}': {}; {}, or begin a series with another "
                                 "name",
                                 guarantee.series, found.why, found.what_to_do));
}

}  // namespace pentimento
