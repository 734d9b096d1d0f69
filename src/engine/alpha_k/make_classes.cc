#include "engine/alpha_k/make_classes.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anonymize/anatomy/anatomy.h"
#include "anonymize/limits/count_classes.h"
#include "anonymize/partition/partition.h"
#include "anonymize/recode/recode.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "engine/alpha_k/feasible.h"
#include "io/encode.h"

namespace pentimento {
namespace {

constexpr std::size_t kHashGrain = 1 << 12;

// Calls body(row, its cells as bytes).
template <typename Body>
void ForEachRow(const EncodedInput& input, Body body) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : input.table.quasi_identifiers) columns.push_back(&column);
  for (const ValueColumn& column : input.values) columns.push_back(&column.codes);
  ParallelFor(input.table.rows, kHashGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Code> cells(columns.size());
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c) cells[c] = (*columns[c])[row];
      body(row, std::string_view(reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(Code)));
    }
  });
}

std::string_view BytesOf(const IdentityHash& hash) { return {reinterpret_cast<const char*>(&hash), sizeof hash}; }

// A key of this very table: a sum does not depend on the order of what is added.
SecretKey KeyOfTable(const EncodedInput& input, const IdentityHasher& keyed) {
  std::atomic<std::uint64_t> high = 0;
  std::atomic<std::uint64_t> low = 0;
  ForEachRow(input, [&](std::size_t, std::string_view cells) {
    const IdentityHash hash = keyed(cells);
    high += hash.high;
    low += hash.low;
  });
  const IdentityHash sum{high, low};
  SecretKey key;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::string purpose = "order of recoding " + std::to_string(half) + " ";
    const IdentityHash part = keyed(purpose + std::string(BytesOf(sum)));
    std::memcpy(&key[half * sizeof part], &part, sizeof part);
  }
  return key;
}

// The order in which recoding pulls rows back, as row numbers; drawn from a secret key (`keyed`: the ledger's) and from
// the rows themselves.
//
// 1. The same rows under the same key have the same order, in whatever order the input has them: a table that is
//    published again has the same classes again, so that nobody learns more by comparing its releases.
// 2. A table that differs in a single row has another order, and so has another key: who was pulled back in one release
//    tells nothing of another.
// 3. Rows with equal quasi-identifier, sensitive and class cells follow each other as in the input.
std::vector<std::uint32_t> DrawOrder(const EncodedInput& input, const IdentityHasher& keyed) {
  struct Drawn {
    IdentityHash hash;
    std::uint32_t row;
  };
  const IdentityHasher of_table(KeyOfTable(input, keyed));
  std::vector<Drawn> drawn(input.table.rows);
  ForEachRow(input, [&](std::size_t row, std::string_view cells) {
    drawn[row] = {of_table(cells), static_cast<std::uint32_t>(row)};
  });
  ParallelSort(drawn.begin(), drawn.end(),
               [](const Drawn& a, const Drawn& b) { return a.hash != b.hash ? a.hash < b.hash : a.row < b.row; });
  std::vector<std::uint32_t> order(drawn.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = drawn[i].row;
  return order;
}

// Where somebody has several rows, partition is more cautious than the promise, and refuses tables that keep it as one
// class. Nothing is coarser, so that class is published then.
bool MayStayOneClass(const EncodedTable& table, const BoundAlphaK* sensitive, const Error& error) {
  const bool has_several_rows = table.persons && !table.persons->one_row_each();
  return sensitive != nullptr && has_several_rows && table.persons->count >= sensitive->guarantee.k &&
         error.code == ErrorCode::kRefused;
}

Classes OneClass(const EncodedInput& input, CategoryForm form) {
  Classes draft{.columns = input.domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(input.table.rows, 0)};
  for (std::size_t i = 0; i < input.domains.size(); ++i) {
    input.table.quasi_identifiers[i].Visit([&](const auto codes) {
      const auto [lo, hi] = std::ranges::minmax(codes);
      draft.boxes.push_back(input.domains[i].Cover({lo, hi}, form));
    });
  }
  return draft;
}

// Who shares a class of two tables.
Result<Classes> FormClasses(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK& sensitive,
                            const Seed& seed) {
  const Method method = bound.policy.method.value_or(Method::kPartition);
  Check(method != Method::kRecode && method != Method::kSpecialize,
        "a policy that asks for two tables by recoding or specializing is refused");
  if (method == Method::kAnatomy) return GroupByAnatomy(input.table, {bound.k, &sensitive.signatures, seed});
  PartitionOptions options{bound.k};
  options.signatures = &sensitive.signatures;
  options.bags = seed;
  Result<Classes> classes = GroupByPartition(input.table, input.domains, options);
  if (classes.ok() || !MayStayOneClass(input.table, &sensitive, classes.error())) return classes;
  PENTIMENTO_RETURN_IF_ERROR(RequireLegalAsOneClass(bound, input.table, sensitive));
  return ClassesWithoutBoxes(1, std::vector<ClassNumber>(input.table.rows, 0));
}

// A combination of values is verified as one number of 64 bits. That is our limit, and not one of privacy.
Status RequireFewCombinations(const BoundPolicy& bound, const BoundAlphaK& sensitive) {
  if (bound.policy.sensitive_tables != SensitiveTables::kCombined) return {};
  std::uint64_t combinations = 1;
  for (const ValueColumn* column : sensitive.columns) {
    const std::uint64_t values = std::max<std::uint64_t>(column->values.size(), 1);
    if (!__builtin_mul_overflow(combinations, values, &combinations)) continue;
    return PolicyError(bound.policy, {},
                       "the sensitive columns have too many different combinations of values to be counted in one "
                       "table; write sensitive_tables = \"separate\", or leave a column out. Nothing was published.");
  }
  return {};
}

}  // namespace

std::vector<std::vector<std::uint32_t>> SensitiveTablesOf(const Policy& policy, std::size_t columns) {
  std::vector<std::uint32_t> all(columns);
  std::iota(all.begin(), all.end(), 0U);
  if (policy.sensitive_tables == SensitiveTables::kCombined) return {all};
  std::vector<std::vector<std::uint32_t>> tables;
  for (const std::uint32_t column : all) tables.push_back({column});
  return tables;
}

Result<Classes> MakeDraft(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK* sensitive,
                          const IdentityHasher& keyed) {
  Check(bound.policy.method != Method::kSpecialize, "a table that is specialized is made elsewhere");
  const Signatures* signatures = sensitive == nullptr ? nullptr : &sensitive->signatures;
  if (bound.policy.method == Method::kRecode)
    return AnonymizeByRecoding(input.table, input.domains, {bound.k, signatures, DrawOrder(input, keyed)});
  PartitionOptions options{bound.k, bound.policy.categories, BoxKind::kMembers};
  options.signatures = signatures;
  Result<Classes> draft = AnonymizeByPartition(input.table, input.domains, options);
  if (draft.ok() || !MayStayOneClass(input.table, sensitive, draft.error())) return draft;
  PENTIMENTO_RETURN_IF_ERROR(RequireLegalAsOneClass(bound, input.table, *sensitive));
  return OneClass(input, bound.policy.categories);
}

Result<Draft> MakeTwoTables(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK& sensitive,
                            const Seed& seed) {
  PENTIMENTO_RETURN_IF_ERROR(RequireFewCombinations(bound, sensitive));
  PENTIMENTO_ASSIGN(Classes classes, FormClasses(bound, input, sensitive, seed));
  return CountClasses(std::move(classes), sensitive.codes, SensitiveTablesOf(bound.policy, sensitive.columns.size()),
                      seed);
}

}  // namespace pentimento
