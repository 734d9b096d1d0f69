#include "anonymize/limits/class_rule.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/plural.h"

namespace pentimento {

ClassRule::ClassRule(const Signatures* signatures, std::uint64_t k)
    : k_(std::max<std::uint64_t>(k, 1)),
      items_(signatures == nullptr ? std::vector<LimitedItem>() : signatures->items),
      items_of_(items_, signatures == nullptr ? 1 : signatures->count) {
  fewest_persons_ = FindFewestPersons();
  smallest_class_ = FindSmallestClass();
}

bool ClassRule::KeepsLimits(std::span<const std::uint32_t> counts, std::uint64_t persons,
                            std::uint64_t most_rows) const {
  for (Item item = 0; item < items_.size(); ++item) {
    std::uint64_t count = 0;
    for (const Code signature : items_[item].signatures) count += counts[signature];
    if (IsTooMany(item, count, persons, most_rows)) return false;
  }
  return true;
}

// One row of a signature alone needs as many people as its strictest limit asks for, and a class has at least one row.
std::uint64_t ClassRule::FindFewestPersons() const {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (Code signature = 0; signature < signature_count(); ++signature) {
    std::uint64_t needed = 1;
    for (const Item item : ItemsOf(signature)) needed = std::max(needed, PersonsNeeded(item, 1));
    fewest = std::min(fewest, needed);
  }
  return std::max(k_, fewest);
}

// Of each signature a class of m rows can hold as many as the strictest of its limits leaves it, and together these
// must come to m. Every class meets this, so none is smaller than the first m that does.
std::uint64_t ClassRule::FindSmallestClass() const {
  constexpr std::uint64_t kLookAtMost = 4096;
  for (std::uint64_t m = k_; m < k_ + kLookAtMost; ++m) {
    std::uint64_t room = 0;
    for (Code signature = 0; signature < signature_count() && room < m; ++signature) {
      std::uint64_t most = m;
      for (const Item item : ItemsOf(signature)) {
        const Ratio at_most = items_[item].at_most;
        most = std::min(most, static_cast<std::uint64_t>(Wide{at_most.num} * m / at_most.den));
      }
      room += most;
    }
    if (room >= m) return m;
  }
  return k_ + kLookAtMost;
}

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
  const std::vector<std::uint32_t> rows = signatures->CountRows();
  const ClassRule rule(signatures, k);
  for (ClassRule::Item item = 0; item < rule.items().size(); ++item) {
    const LimitedItem& limited = rule.items()[item];
    std::uint64_t count = 0;
    for (const Code signature : limited.signatures) count += rows[signature];
    if (rule.IsTooMany(item, count, table.rows)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("a sensitive value, or a set of values, that is limited to {} of a class has {} of the "
                               "{} rows of the whole table: no way to form classes can change that; raise the limit, "
                               "or leave out some of these rows. Nothing was published.",
                               ToString(limited.at_most), count, table.rows)};
    }
  }
  return {};
}

}  // namespace pentimento
