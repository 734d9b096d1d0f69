// The door in: a stream of record batches becomes an encoded table. Quasi-identifier, sensitive, class and id columns
// are held as codes; `keep` columns pass by and are filed for the shuffle.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/result.h"
#include "io/arrow_c_data.h"
#include "policy/policy.h"
#include "table/encoded_table.h"
#include "table/shuffle.h"
#include "table/values.h"
#include "taxonomy/domain.h"

namespace pentimento {

// How the cells of a column are read, besides what they mean.
struct CellReading {
  bool trims = false;        // text without the blanks around it
  bool folds_case = false;   // of quasi-identifiers with a taxonomy, and of ids: letters of both cases are the same
  char decimal_point = '.';  // of numbers in texts
  std::optional<int> decimals = std::nullopt;  // numbers are rounded to so many
  DateForm date_form = DateForm();             // of dates in texts
};

// One column of the policy, bound: what to do with its cells.
struct ColumnPlan {
  std::string name;
  Role role = Role::kKeep;
  std::shared_ptr<const Taxonomy> taxonomy;          // a categorical quasi-identifier, or one of dates (its calendar)
  std::optional<std::pair<Decimal, Decimal>> range;  // a numeric quasi-identifier
  CellReading reading = {};
};

struct EncodePlan {
  std::vector<ColumnPlan> columns;
  std::vector<std::string> missing;
  // Numbers that are coded by rank get codes for the middle of every gap, for a maker that cuts there: see
  // NumericEncoder.
  bool codes_middles_of_gaps = false;
  // Sensitive cells that mean the same get one code, because limits count codes: see ValueEncoder.
  bool unites_sensitive_values = false;
};

// A table, or a part of one, to be read. Owns the stream.
class TableSource {
 public:
  TableSource(std::string name, ArrowArrayStream stream, std::function<Error(std::string_view)> explain = {});
  ~TableSource();
  TableSource(TableSource&& other) noexcept;
  TableSource& operator=(TableSource&&) = delete;

  const std::string& name() const { return name_; }
  ArrowArrayStream* stream() { return &stream_; }
  // For the progress bar, where the maker of the source counts.
  void CountBytesWith(std::shared_ptr<const std::atomic<std::uint64_t>> bytes_read) {
    bytes_read_ = std::move(bytes_read);
  }
  std::uint64_t bytes_read() const { return bytes_read_ ? bytes_read_->load() : 0; }
  // What to tell the user when the stream fails with this value of errno: the stream's own message may quote cells.
  Error Explain(int error_number) const;

 private:
  std::string name_;
  ArrowArrayStream stream_;
  std::function<Error(std::string_view)> explain_;
  std::shared_ptr<const std::atomic<std::uint64_t>> bytes_read_;
};

// Opens the i-th part; parts are opened one after the other, so that only one is open at a time.
struct TableParts {
  std::size_t count = 0;
  std::function<Result<TableSource>(std::size_t)> open;
  std::uint64_t bytes = 0;  // of all parts together, for the progress bar; 0 where nobody knows
};

// How ids are written where we made them ourselves: those of a published table. A cell that is no such id `otherwise`.
struct IdForm {
  bool (*fits)(std::string_view text);
  const char* otherwise;
};

struct EncodeOptions {
  Seed seed{};
  IdentityHasher identity_hasher{SecretKey{}};
  std::filesystem::path spill_folder;                // private
  std::size_t keep_memory = std::size_t{128} << 20;  // bytes of `keep` cells in memory before they go to a file
  bool keep_identities = false;                      // fill identity_of_row, and neither people nor persons
  std::optional<IdForm> id_form;                     // nothing: any text that is not missing
  bool shows_bad_values = false;                     // in a message about cells that do not fit: for a terminal alone
  Progress* progress = nullptr;
};

// How a row is published.
enum class RowForm : std::uint8_t {
  kWhole,
  kEmptied,  // only with its box and its name: the person has left
  kSkipped,  // not at all
};

struct EncodedInput {
  EncodedTable table;
  std::vector<Domain> domains;                         // one per quasi-identifier
  std::vector<ValueColumn> values;                     // sensitive and class columns, in the plan's order
  std::vector<std::pair<std::string, CellType>> keep;  // the cells of a record in `keep_records`
  std::optional<RecordStore> keep_records;
  RowOrder order;
  std::vector<IdentityHash> people;  // sorted, each person once; empty without an id column
  // By row: the number in `people`; empty where table.persons has it, because somebody has several rows.
  std::vector<std::uint32_t> person_of_row;
  std::vector<IdentityHash> identity_of_row;  // where asked for
  std::vector<RowForm> form_of_row;           // empty: every row is published whole
  std::vector<std::uint32_t> verified_row;  // by row: its number in what was verified, where rows were left out of that
  std::vector<std::size_t> rows_after_part;  // for each part, how many rows it and those before it have

  std::size_t verified(std::size_t row) const { return verified_row.empty() ? row : verified_row[row]; }
  RowForm form(std::size_t row) const { return form_of_row.empty() ? RowForm::kWhole : form_of_row[row]; }
};

Result<EncodedInput> EncodeTable(const TableParts& parts, const EncodePlan& plan, const EncodeOptions& options);

}  // namespace pentimento
