// A policy as the user wrote it: checked for everything that can be known without the data. Binding it to
// the data happens in one place, engine/bind.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/category_form.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/ratio.h"
#include "base/result.h"
#include "base/text_encoding.h"

namespace pentimento {

// Where in the policy file something stands, for messages: "policy.toml:12:7".
struct SourcePosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class Role { kId, kQuasiIdentifier, kSensitive, kClass, kKeep };

// A domain of dates; both ends are included.
struct DatesPolicy {
  DayRange domain;
  DateForm form;  // how texts are written
};

struct ColumnPolicy {
  std::string name;
  Role role = Role::kKeep;
  // Quasi-identifier: exactly one of domain, dates, taxonomy, values. Sensitive: values, or nothing for every value.
  std::optional<std::pair<Decimal, Decimal>> domain;
  std::optional<DatesPolicy> dates;               // in the file a domain, too
  std::optional<std::filesystem::path> taxonomy;  // resolved against the policy's folder
  std::vector<std::string> values;
  // Sensitive: values that come and go, so that having one in a release says nothing about the next. Nothing: all of
  // them. Only the global guarantee asks.
  std::optional<std::vector<std::string>> transient;
  // A domain: numbers are read with so many decimals, and rounded to them.
  std::optional<int> decimals;
  bool folds_case = false;      // a taxonomy, values, or an id: letters of both cases are the same
  bool may_be_missing = false;  // a quasi-identifier of a series: also where nothing is missing at first
  SourcePosition position;      // of the column's name
};

// What can stand between two cells of a table that is a text.
inline constexpr std::array<char, 4> kSeparators = {',', ';', '\t', '|'};

// What the user says of how such a table is written. Nothing: that is found out (files/text_form.h).
struct TextSetting {
  std::optional<char> separator;
  std::optional<TextEncoding> encoding;
  std::vector<std::string> names = {};  // of the columns, where the table has no header line
  std::size_t skip_lines = 0;           // that stand before the table, after a "sep=" line
};

// Which cells are read without the blanks around them.
enum class TrimRule { kRecognizing, kAll, kNone };  // the first: quasi-identifiers and ids

struct KAnonymityPolicy {
  std::uint64_t k = 0;
};
// A series that grows: everything inferable from all releases together is k-anonymous.
struct IncrementalKAnonymityPolicy {
  std::uint64_t k = 0;
  std::string series;
  // Somebody who knows in which release a person first appeared learns nothing more; costs refinement.
  bool hides_arrivals = false;
};
// A column of this release, or of an earlier one: "sex", "immigration-2025:sex".
struct ColumnName {
  std::string release;  // empty: this one
  std::string column;
  SourcePosition position;

  // As a policy writes it.
  std::string Written() const { return release.empty() ? column : release + ":" + column; }
};
// Over the join with earlier releases every value on x meets at least k values on y.
struct XyAnonymityPolicy {
  std::vector<std::string> against;  // releases on record
  std::vector<ColumnName> x;
  std::vector<ColumnName> y;
  std::vector<std::string> overlap;  // numeric columns that are joined where their intervals overlap
  std::uint64_t k = 0;
  SourcePosition position;
  bool allows_dangling = false;  // rows that match nothing are not held to it
};
// No value of y is inferred from a value on x with more confidence than its limit. A value of several columns is a
// combination: a text for each of them.
struct LinkabilityLimit {
  std::vector<ColumnName> columns;
  std::vector<std::vector<std::string>> values;  // together; nothing: each value by itself
  Ratio at_most;
};
struct XyLinkabilityPolicy {
  std::vector<std::string> against;
  std::vector<ColumnName> x;
  std::vector<LinkabilityLimit> y;
  std::vector<std::string> overlap;
  SourcePosition position;
  bool allows_dangling = false;
};
// How often some values of a sensitive column may occur in a class, all of them together.
struct SensitiveLimitPolicy {
  std::string column;
  std::vector<std::string> values;
  Ratio at_most;
  SourcePosition position;
};
// At least k people share each bag of sensitive values, and no sensitive value is more frequent in it than alpha.
struct AlphaKAnonymityPolicy {
  Ratio alpha;  // for each sensitive value by itself
  std::uint64_t k = 0;
  std::vector<SensitiveLimitPolicy> limits;  // besides alpha, for sets of values or for stricter limits
  SourcePosition position;
};
// Values of a sensitive column that nobody may be linked to any of, with a limit of their own.
struct SensitiveSetPolicy {
  std::string column;
  std::vector<std::string> values;
  std::uint64_t l = 0;
  SourcePosition position;
};
// Over all releases of the series together, nobody is linked to a sensitive value with a chance above 1/l.
struct GlobalGuaranteePolicy {
  std::uint64_t l = 0;  // for each sensitive value by itself
  std::string series;
  std::optional<std::uint64_t> releases;  // how many the series will have; nothing: nobody knows
  std::optional<Ratio> spend;             // of what is left of a budget, in one release; nothing: as `releases` asks
  bool blind = false;                     // groups are formed without a look at sensitive values
  std::uint64_t k = 0;                    // people in every group, at least; 0: the policy does not say it here
  bool allows_alone = false;              // no guarantee has a k, and the policy says that this is meant
  Ratio room{5, 4};                       // how much more frequent than in the last releases a value may be
  Ratio most_loss{3, 5};                  // of the detail; a release that loses more is not made
  Ratio most_persistence{5, 1};           // how often those who had a value have it again, in times its frequency
  std::vector<SensitiveSetPolicy> sets;   // besides l
  SourcePosition position;
};
// Over the releases on record that are about these people, and every choice of them, nobody has a crowd below k.
struct HistoryPolicy {
  std::uint64_t k = 0;
  bool membership_is_known = false;  // also for whoever knows who is in which release: then joint classes have k people
  std::optional<Ratio> alpha;        // nobody is surer than this of a sensitive value that stays; nothing: not promised
  std::vector<std::string> over;     // releases on record; none: all of them
  bool allows_unknown = false;       // releases whose people cannot be told are left out, and the release says so
  SourcePosition position;
};
// Every guarantee that a policy can ask for has its alternative here.
using GuaranteePolicy = std::variant<KAnonymityPolicy, IncrementalKAnonymityPolicy, XyAnonymityPolicy,
                                     XyLinkabilityPolicy, AlphaKAnonymityPolicy, GlobalGuaranteePolicy, HistoryPolicy>;

// The first guarantee of this type; null where none is asked for.
template <typename Guarantee>
const Guarantee* FindGuarantee(std::span<const GuaranteePolicy> guarantees) {
  for (const GuaranteePolicy& guarantee : guarantees) {
    if (const auto* found = std::get_if<Guarantee>(&guarantee)) return found;
  }
  return nullptr;
}

// What to do with a person who has more than one row in a series, in one batch or over time.
enum class RepeatedRule { kRefuse, kLatest };

// Whom the table of a release of a growing series holds: who is new, or everybody who is there.
enum class TableHolds { kNewcomers, kEverybody };

// How rows of people who have left a growing series are published: with empty cells, or as they were.
enum class LeaversRule { kEmptied, kKept };

// Two values that are never about one person: "sex=Male" and "immigration-2025:status=Pregnant".
struct ImpossiblePolicy {
  ColumnName left;
  std::string left_value;
  ColumnName right;
  std::string right_value;
};

// What to do where people of this release are in others on record, and a promise would not survive that: publish
// nothing, or publish and tell.
enum class OverlapRule { kRefuse, kMeasure };

// What a specialization gains.
enum class Utility { kClass, kDistortion, kDiscernibility };

enum class FileFormat { kCsv, kParquet };

// One table of coarser values; or the quasi-identifiers as they are in one table and the sensitive values in others,
// which only the numbers of classes connect.
enum class PublishForm { kGeneralized, kTwoTables };

// Which algorithm forms the groups.
enum class Method { kPartition, kRecode, kAnatomy, kSpecialize };

// Several sensitive columns in two tables: a table for each, or one table whose values are combinations.
enum class SensitiveTables { kSeparate, kCombined };

// [input] path = "-".
inline constexpr const char* kStandardInput = "-";

struct Policy {
  std::filesystem::path source;  // the policy file, for messages
  std::string release;
  // Resolved against the policy's folder; empty where none is named. A pattern or a folder stands for the files that it
  // names (files/input_files.h), kStandardInput for what comes in there.
  std::vector<std::filesystem::path> inputs;
  TextSetting text_setting;
  TrimRule trim = TrimRule::kRecognizing;
  char decimal_point = '.';                    // of numbers in texts
  std::vector<std::filesystem::path> removed;  // tables of people who leave the series; only their id column is read
  RepeatedRule repeated = RepeatedRule::kRefuse;
  TableHolds holds = TableHolds::kNewcomers;
  std::vector<std::string> missing = {""};
  SourcePosition input_position;      // of the value of [input] path
  SourcePosition release_position;    // of the value of release
  std::vector<ColumnPolicy> columns;  // in the order of the file
  std::vector<GuaranteePolicy> guarantees;
  std::vector<ImpossiblePolicy> impossible;
  std::optional<OverlapRule> overlap;     // nothing: what this release and those on record promise decides
  std::vector<std::string> other_people;  // releases about other people, by the steward's word
  FileFormat format = FileFormat::kCsv;
  CategoryForm categories = CategoryForm::kTaxonomy;
  LeaversRule leavers = LeaversRule::kEmptied;
  bool interval_columns = false;  // numbers are published as the ends of their intervals (interval_columns.h)
  PublishForm form = PublishForm::kGeneralized;
  SensitiveTables sensitive_tables = SensitiveTables::kSeparate;
  std::optional<Method> method;    // nothing: the one that loses least, as docs/formats/policy.md says
  std::optional<Utility> utility;  // nothing: class where there is one class column, otherwise distortion
  std::string text;                // the file as read, for the ledger
};

// Errors are kBadPolicy with "file:line:column: what; what to do". A policy that asks for something this version
// does not do is refused, never read as if it had not asked: docs/formats/policy.md says what is accepted.
// Only the first mistake is reported.
// For an import the table is named elsewhere and may come without a promise: [input] path is ignored, [[guarantee]] may
// be left out, and no column is an id.
// For a stream the table is handed over by the caller: [input], or its path, may be left out.
// A policy on record was accepted when it was used: what is asked for since then does not count.
enum class PolicyUse { kRelease, kStream, kImport, kRecord };
Result<Policy> ParsePolicy(std::string_view text, const std::filesystem::path& source,
                           PolicyUse use = PolicyUse::kRelease);
// The same for a file. A file that cannot be read is an error without line and column.
Result<Policy> ReadPolicy(const std::filesystem::path& path, PolicyUse use = PolicyUse::kRelease);

// How many people a class has at least; 0 for guarantees that do not say.
std::uint64_t KOf(const GuaranteePolicy& guarantee);

// "policy.toml:12:7: message" as a kBadPolicy error, for those who find a mistake later (binding). A position of
// line 0 is left out.
Error PolicyError(const Policy& policy, SourcePosition position, std::string_view message);

}  // namespace pentimento
