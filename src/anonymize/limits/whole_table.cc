#include "anonymize/limits/whole_table.h"

#include <fmt/core.h>

#include <mutex>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "base/plural.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

std::vector<std::uint64_t> RowsBySignature(const Signatures& signatures) {
  constexpr std::size_t kGrain = 1 << 18;
  std::vector<std::uint64_t> rows(signatures.count);
  std::mutex mutex;
  signatures.of_row.Visit([&](const auto of_row) {
    ParallelFor(of_row.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint64_t> own(signatures.count);
      for (std::size_t row = begin; row < end; ++row) ++own[of_row[row]];
      const std::scoped_lock lock(mutex);
      for (std::size_t signature = 0; signature < own.size(); ++signature) rows[signature] += own[signature];
    });
  });
  return rows;
}

}  // namespace

Status CheckWholeTable(const EncodedTable& table, const Signatures* signatures, std::uint64_t k,
                       std::string_view method) {
  if (table.persons && !table.persons->one_row_each()) {
    return Error{ErrorCode::kBadPolicy,
                 fmt::format("method = \"{}\" places single rows, but the table has {} rows of {} persons: somebody "
                             "has several, which could end up in several classes; use method = \"partition\". "
                             "Nothing was published.",
                             method, table.rows, table.persons->count)};
  }
  if (table.rows < k || table.rows == 0) {
    return Error{ErrorCode::kRefused, fmt::format("the table has {} {}, but every class needs {}; gather more rows "
                                                  "or lower k. Nothing was published.",
                                                  table.rows, Plural(table.rows, "row", "rows"), k)};
  }
  if (signatures == nullptr) return {};
  Check(signatures->of_row.size() == table.rows, "every row has a signature");
  const std::vector<std::uint64_t> rows = RowsBySignature(*signatures);
  for (const LimitedItem& item : signatures->items) {
    std::uint64_t count = 0;
    for (const Code signature : item.signatures) count += rows[signature];
    if (Wide{count} * item.at_most.den > Wide{item.at_most.num} * table.rows) {
      return Error{ErrorCode::kRefused,
                   fmt::format("a sensitive value, or a set of values, that is limited to {} of a class has {} of the "
                               "{} rows of the whole table: no way to form classes can change that; raise the limit, "
                               "or leave out some of these rows. Nothing was published.",
                               ToString(item.at_most), count, table.rows)};
    }
  }
  return {};
}

}  // namespace pentimento
