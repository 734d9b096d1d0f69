// Everything that a report shows, as plain numbers and words: the engine fills it from the ledger and the published
// folders, report/ draws it and writes it as JSON.
//
// 1. Names and words are as they were found; whoever draws them makes them harmless.
// 2. What could not be read or is not known is left out, with a sentence that says why. Unknown is never 0.
// 3. In the public edition nothing is filled in that is not in a published folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "utility/class_sizes.h"
#include "utility/column_view.h"
#include "utility/living.h"
#include "utility/metrics.h"

namespace pentimento {

enum class ReportEdition { kInternal, kPublic };

// What a published table tells of itself.
struct ReportedTable {
  bool two_tables = false;
  bool changes_only = false;  // its classes are those of the rows that are new or refined
  std::uint64_t k = 0;        // 0: its promise has none
  std::vector<std::string> quasi_identifiers = {};
  Metrics metrics = {};
  std::vector<SizeBin> class_sizes = {};
  std::uint64_t rows_below_k = 0;  // in classes of fewer than k rows
  std::uint64_t unique_after = 0;
  std::optional<std::uint64_t> unique_before = {};  // of the original, where it was given
  std::optional<std::uint64_t> rows_before = {};
  std::vector<ColumnView> columns = {};
};

// What a release and those on record before it tell together.
struct ReportedComposition {
  struct Count {
    std::uint64_t below_k = 0;
    std::uint64_t alone = 0;
    std::uint64_t smallest = 0;
  };
  struct Certain {
    std::string column = {};
    std::uint64_t people = 0;
    bool is_exact = false;
  };
  struct Broken {
    std::string release = {};  // empty: one that the published folder does not name
    std::string promise = {};
    bool is_proved = true;
  };
  struct Unknown {
    std::string release = {};
    std::string why = {};
  };

  std::vector<std::string> with = {};  // releases; none: nothing could be measured
  std::vector<Unknown> unknown = {};
  std::uint64_t cannot_be_told = 0;  // releases, those of `unknown` included
  std::uint64_t k = 0;
  std::optional<std::uint64_t> people = {};
  Count crowds = {};
  bool crowds_are_exact = true;
  std::optional<std::uint64_t> already_below_k = {};
  std::optional<Count> joint = {};
  std::vector<Certain> certain = {};
  std::vector<Broken> broken = {};
  std::vector<std::string> other_people = {};
  std::string words = {};  // of all of it

  bool is_measured() const { return !with.empty(); }
};

// What only the ledger knows of a release.
struct ReportedRecord {
  std::string opened_at = {};
  std::string user = {};
  std::string policy_file = {};
  std::string folder = {};
  std::vector<std::string> input_files = {};
  std::optional<std::uint64_t> input_rows = {};
  std::vector<std::string> notes = {};
  std::string retracted = {};  // in words; empty: it was not
  std::vector<std::string> forgotten = {};
};

struct ReportedFile {
  std::string name = {};
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct ReportedRelease {
  std::string name = {};
  std::string state = {};  // "published", "imported", "retracted", "opened"
  std::string engine = {};
  std::string series = {};  // growing, or under the global guarantee; empty: of none
  std::vector<std::string> promises = {};
  std::string not_promised = {};  // what its datapackage.json says that the guarantee does not cover
  std::uint64_t rows = 0;
  std::vector<ReportedFile> files = {};
  std::optional<ReportedTable> table = {};
  std::string why_no_table = {};
  std::optional<ReportedComposition> composition = {};
  bool is_unmeasured = false;  // nobody measured what it tells together with others, which were on record
  std::optional<ReportedRecord> record = {};
};

// A dry run: what a policy would make of its table now.
struct ReportedTrial {
  std::string label = {};
  std::uint64_t k = 0;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;
  std::uint64_t smallest_class = 0;
  double loss_percent = 0;
  std::vector<std::string> quasi_identifiers = {};
  std::vector<double> loss_by_column = {};
  std::optional<std::uint64_t> below_k_together = {};  // people, with the releases on record; nothing: not measured
  std::string refusal = {};                            // in words; then there are no numbers
};

// How far off counts from a release are, on average over queries that are drawn at random. Shares of 1.
struct ReportedQueryError {
  std::uint64_t queries = 0;
  std::uint64_t dimensions = 0;
  std::uint64_t counted = 0;
  std::uint64_t left_out = 0;
  double average = 0;
  double median = 0;
  double naive_average = 0;
};

// A series that grows.
struct ReportedGrowth {
  struct Step {
    std::string release = {};
    std::optional<std::uint64_t> rows = {};
    std::optional<LivingCounts> living = {};  // nothing where the release does not tell who has left
    std::string why_not = {};
  };
  std::string series = {};
  std::uint64_t k = 0;
  std::vector<Step> steps = {};
};

// A series under the global guarantee. Chances are shares from 0 to 1, rounded up.
struct ReportedBudget {
  struct Item {
    std::string column = {};
    std::string words = {};  // "a value", "a set of values"
    std::uint64_t l = 2;
    double largest_chance = 0;                       // so far, as the account has it
    std::uint64_t people_near = 0;                   // above nine tenths of 1/l
    std::vector<double> largest_after = {};          // by release, from the classes on record; empty: not known
    std::vector<double> mean_after = {};             // the same on average
    std::vector<std::uint64_t> people_by_left = {};  // by twentieths of the budget that is left
    std::uint64_t holders = 0;                       // in the latest release
    std::uint64_t rows = 0;
    std::optional<std::uint64_t> left_for_tightest = {};  // releases; nothing: any number
    std::optional<std::uint64_t> left_on_average = {};
  };
  std::string series = {};
  std::uint64_t people = 0;
  std::vector<std::string> releases = {};
  std::optional<std::uint64_t> planned = {};  // releases of the whole series, by the policy of the latest
  std::vector<Item> items = {};
  std::uint64_t more_items = 0;    // that are not listed: those listed have come closest to their limits
  std::string why_no_course = {};  // where largest_after is not known
  std::string problem = {};        // where the account cannot be read; then there is nothing else
};

enum class KeptOverAll { kYes, kNo, kUnknown, kNothingToTell };

// The four questions, answered in sentences.
struct ReportedVerdict {
  KeptOverAll kept = KeptOverAll::kNothingToTell;
  std::vector<std::string> promised = {};
  std::vector<std::string> kept_words = {};
  std::vector<std::string> worst = {};
  std::vector<std::string> left = {};
};

struct ReportNumbers {
  ReportEdition edition = ReportEdition::kInternal;
  std::string version = {};
  std::string ledger = {};                     // the folder as it was named; empty in the public edition
  std::vector<std::string> scope = {};         // what was asked for, in words; empty: the whole ledger
  std::vector<ReportedRelease> releases = {};  // in the order of the record
  std::vector<ReportedGrowth> growing = {};
  std::vector<ReportedBudget> budgets = {};
  std::vector<ReportedTrial> trials = {};              // asked for
  std::optional<ReportedQueryError> query_error = {};  // asked for, of the one release with an original
  // Promises of these releases that one that is not on this page broke.
  struct BrokenElsewhere {
    std::string by = {};
    ReportedComposition::Broken broken = {};
  };
  std::vector<BrokenElsewhere> broken_elsewhere = {};
  std::vector<std::string> left_out = {};  // what this page does not show, and why
  ReportedVerdict verdict = {};
};

}  // namespace pentimento
