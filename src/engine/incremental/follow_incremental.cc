#include "engine/incremental/follow_incremental.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/incremental/renamed_labels.h"
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

// What a taxonomy has, or lacks, that is not the one that the series began with.
struct LeafDifference {
  std::size_t gained = 0;
  std::size_t lost = 0;
};

LeafDifference CompareLeaves(const Taxonomy& before, const Taxonomy& now) {
  const auto count_missing = [](const Taxonomy& of, const Taxonomy& in) {
    std::size_t missing = 0;
    for (Code code = 0; code < of.leaf_count(); ++code) missing += in.FindLeaf(of.leaf_label(code)) ? 0 : 1;
    return missing;
  };
  return {count_missing(now, before), count_missing(before, now)};
}

std::string Leaves(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "leaf" : "leaves"); }

IncrementalBreak OtherTree(const std::string& column, const LeafDifference& difference) {
  std::string what = "some labels stand below others than before";
  if (difference.gained > 0)
    what = fmt::format("it has {} that the series did not begin with", Leaves(difference.gained));
  if (difference.lost > 0) {
    what = fmt::format("{}{} of the series {} gone", difference.gained > 0 ? what + ", and " : "",
                       Leaves(difference.lost), difference.lost == 1 ? "is" : "are");
  }
  return {.why = fmt::format("the taxonomy of column '{}' is not the one it began with: {}. Labels which are out would "
                             "change their meaning",
                             column, what),
          .what_to_do = "take the one it began with",
          .column = column};
}

// A label that is out keeps its meaning, also where a release between the first and this one gave it.
Status RequireUnusedLabels(const IncrementalMemory& series, const Policy& policy,
                           const IncrementalKAnonymityPolicy& guarantee, const ColumnPlan& column,
                           const Taxonomy& now) {
  for (const std::filesystem::path& folder : series.folders()) {
    const Result<Taxonomy> published = ReadPublishedTaxonomy(folder, TaxonomyFileName(column));
    if (!published.ok() || !HaveSameShape(*published, now)) continue;
    const std::optional<std::string> moved = FindMovedLabel(*published, now);
    if (!moved) continue;
    return CannotContinue(
        policy, guarantee,
        {.why = fmt::format("in the taxonomy of column '{}' the label '{}' stands for other leaves than in {}, so that "
                            "labels which are out would change their meaning",
                            column.name, *moved, folder.string()),
         .what_to_do = "give it a name that was never used",
         .column = column.name});
  }
  return {};
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
    std::optional<RenamedTaxonomy> renamed = FindRenamed(*published, *column.taxonomy);
    if (!renamed) {
      const LeafDifference difference = CompareLeaves(*published, *column.taxonomy);
      return CannotContinue(bound.policy, guarantee, OtherTree(column.name, difference));
    }
    PENTIMENTO_RETURN_IF_ERROR(RequireUnusedLabels(series, bound.policy, guarantee, column, renamed->taxonomy));
    if (!renamed->labels.empty()) bound.renamed[column.name] = {*hash, std::move(renamed->labels)};
    column.taxonomy = std::make_shared<const Taxonomy>(std::move(renamed->taxonomy));
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
