// The door out: a verified release as a stream of record batches, shuffled. It takes a VerifiedRelease and nothing
// less, so nothing unchecked can reach a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "io/arrow_c_data.h"
#include "io/encode.h"
#include "release/incremental_history.h"
#include "release/verified_release.h"
#include "table/values.h"

namespace pentimento {

// A quasi-identifier as it is published: a label per group.
struct LabelColumn {
  std::string name;
  std::vector<std::string> labels;  // distinct, in an order that does not depend on the rows
  std::vector<std::uint32_t> label_of_group;
  std::optional<std::uint32_t> missing_label;  // the label that stands for the missing value: published as null
  CellType type = {};                          // other than text: labels are the bytes of such cells
};
struct ValueColumnRef {
  std::size_t index = 0;  // into EncodedInput::values
};
struct KeepColumnRef {
  std::size_t index = 0;  // into EncodedInput::keep
};
// The public names of the rows' cases.
struct CaseColumn {
  std::string name;
  CaseNamer namer;
  std::vector<CaseNumber> case_of_row;  // empty: the row's number
};
// One of a few words per row.
struct WordColumn {
  std::string name;
  std::vector<std::string> words;
  std::vector<std::uint8_t> word_of_row;
};
// A quasi-identifier as it came, in a release of two tables: a text for each code.
struct PlainTextColumn {
  std::string name;
  std::size_t quasi_identifier = 0;
  std::vector<std::string> texts;
  std::optional<Code> missing_code;  // published as null
};
// The same for a numeric one, in a format that knows numbers.
struct PlainNumberColumn {
  std::string name;
  std::size_t quasi_identifier = 0;
  bool is_whole = true;  // 64-bit integers; otherwise doubles, which must be able to tell all points apart
};
// The public number of a row's class, from 1.
struct ClassColumn {
  std::string name;
};
using StreamColumn = std::variant<LabelColumn, ValueColumnRef, KeepColumnRef, CaseColumn, WordColumn, PlainTextColumn,
                                  PlainNumberColumn, ClassColumn>;

// Labels, and values that are text, come as dictionary columns. `release` and `input` must outlive the stream.
// `failure` receives an error that the stream meets on the way. Of two tables this is NSS:
// `columns` hold no labels; of one table they hold no quasi-identifier as it came: that is checked. REQUIRES: of two
// tables no sensitive column, those are in SS.
ArrowArrayStream MakeReleaseStream(const VerifiedRelease& release, const EncodedInput& input,
                                   std::vector<StreamColumn> columns, std::shared_ptr<std::optional<Error>> failure);

// The sensitive, class and keep columns alone, as they came, in the order of RowOrder::All(): for the private state of
// a series, never for publishing.
ArrowArrayStream MakeCellStream(const EncodedInput& input, std::shared_ptr<std::optional<Error>> failure);

}  // namespace pentimento
