// One release as an audit sees it: from its published files alone, whoever made it, in codes that all audited releases
// share.
//
// 1. A class is what its rows show to be alike: equal labels of all quasi-identifiers (and group_id), or one class_id.
// 2. `units` are what a person's quasi-identifiers lie in or not: the boxes of the classes; of two tables the different
//    tuples of each class. class_of_unit leads back.
// 3. A label that nobody understands means anything: its column tells nothing of that row. It is counted in `unread`.
// 4. A sensitive cell without a value has the code kNoValueCode in every column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/finding.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/audit/audit_source.h"
#include "engine/audit/shared_domains.h"
#include "engine/composition/promise_on_record.h"
#include "engine/published/manifest.h"
#include "engine/published/published_table.h"
#include "release/classes.h"
#include "release/common_releases.h"
#include "table/code_column.h"
#include "taxonomy/domain.h"

namespace pentimento {

inline constexpr Code kNoValueCode = 0;

struct AuditReading {
  std::string key_column = {};  // names people in several releases; empty: only case_id does
  Progress* progress = nullptr;
};

struct UnreadColumn {
  std::string column;
  std::uint64_t labels = 0;  // different ones
  std::uint64_t rows = 0;
};

// Of the sensitive column, by row: codes that all releases share.
struct SensitiveCells {
  std::string column;
  CodeColumn codes;
};

// A limit of the global guarantee: nobody ever had one of these values with a chance above 1/l.
struct EverLimit {
  std::string column;
  std::vector<std::string> values;  // none: every value by itself
  std::uint64_t l = 2;
  bool together = false;  // the values count as one
};

struct AuditedRelease {
  std::string name;
  AuditSource source;
  bool is_ours = false;  // a folder that pentimento published; otherwise another tool made it
  bool has_two_tables = false;
  bool is_changes_only = false;
  std::optional<Manifest::Series> series = {};
  PromiseOnRecord promise = {};
  bool hides_arrivals = false;
  std::vector<EverLimit> ever_limits = {};

  std::vector<std::filesystem::path> files = {};  // of the table, or of NSS
  std::vector<std::size_t> rows_after_file = {};
  std::size_t rows = 0;

  std::vector<std::string> quasi_identifiers = {};
  std::vector<std::size_t> domain_of = {};  // by quasi-identifier: its number among the shared domains
  std::vector<UnreadColumn> unread = {};
  Classes units = {};
  std::vector<std::uint32_t> rows_of_unit = {};
  std::vector<ClassNumber> class_of_unit = {};
  std::vector<std::uint32_t> rows_of_class = {};
  std::vector<ValueBags> values = {};          // by sensitive column; by class
  std::vector<std::string> not_compared = {};  // sensitive columns with too many values
  std::vector<SensitiveCells> sensitive = {};  // of one table; parallel to `values`
  std::vector<IdentityHash> key_of_row = {};   // who each row is about, where it says so
  std::vector<CodeColumn> labels = {};         // by quasi-identifier: what is written, by row; codes ascend like texts
  std::vector<std::uint32_t> group_of_row = {};  // group_id or class_id, as numbers; empty: none
  std::vector<std::uint32_t> entry_class = {};   // two tables: the class of each row of the first SS, in its order

  ClassNumber class_of_row(std::size_t row) const { return class_of_unit[units.of_row[row]]; }
  std::uint32_t classes() const { return static_cast<std::uint32_t>(rows_of_class.size()); }
};

// The codes of values of sensitive columns, by text; one dictionary for each column's name.
class SharedValues {
 public:
  Code CodeOf(const std::string& column, const std::string& text) {
    std::map<std::string, Code>& codes = columns_[column];
    return codes.emplace(text, static_cast<Code>(codes.size()) + 1).first->second;
  }
  std::optional<Code> Find(const std::string& column, const std::string& text) const {
    const auto codes = columns_.find(column);
    if (codes == columns_.end()) return std::nullopt;
    const auto code = codes->second.find(text);
    return code == codes->second.end() ? std::nullopt : std::optional(code->second);
  }
  // The codes of a column, by text.
  const std::map<std::string, Code>& Of(const std::string& column) const {
    static const std::map<std::string, Code> kNone;
    const auto codes = columns_.find(column);
    return codes == columns_.end() ? kNone : codes->second;
  }
  // Above every code of the column.
  Code end(const std::string& column) const {
    const auto codes = columns_.find(column);
    return codes == columns_.end() ? 1 : static_cast<Code>(codes->second.size()) + 1;
  }

 private:
  std::map<std::string, std::map<std::string, Code>> columns_;
};

// Everybody's quasi-identifiers, as they are written.
struct PeopleTexts {
  PublishedTable table;  // the columns in `names`
  std::vector<std::string> names;
  std::vector<std::string> missing;
};

struct AuditedReleases {
  std::vector<AuditedRelease> releases;
  std::vector<SharedDomain> domains;
  SharedValues values;
  // By column of the people, where these are given, and then by its code: what it means in the shared domain of this
  // number; nothing where it means nothing there.
  struct PeopleCodes {
    std::size_t domain = 0;
    std::vector<std::optional<Code>> of_code;
    std::size_t column = 0;
  };
  std::vector<PeopleCodes> people;
};

// `people` may be null.
Result<AuditedReleases> ReadAuditedReleases(const std::vector<AuditSource>& sources,
                                            const std::vector<Manifest>& manifests, const AuditReading& reading,
                                            const PeopleTexts* people);

// Some rows of the release in these classes, as a witness.
RowWitness WitnessRows(const AuditedRelease& release, const std::vector<bool>& is_wanted_class);

}  // namespace pentimento
