// What the different cells of a column mean to a query: for each of them, which share of what it may stand for meets
// the condition. A cell that was published as it came meets it or not; a generalized one may do so in part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/query/bind_query.h"

namespace pentimento {

enum class CellStyle {
  kAsCollected,  // originals and NSS: leaves and numbers, and the texts that stand for a missing value
  kGeneralized,  // boxes: labels of the taxonomy, sets of them, intervals, "*"
};

// What a cell says to a condition. It may be met although its share is 0, and not met although it is 1: whoever reads
// a wide label cannot rule out a missing value, but counts it as one of the values only where the column shows some.
struct CellMatch {
  double share = 0;  // of what the cell stands for, from 0 to 1
  bool possible = false;
  bool certain = false;

  friend bool operator==(const CellMatch&, const CellMatch&) = default;
};

class LabelMeanings {
 public:
  // `labels`: the different cells; a null is the empty text. `missing`: the texts that count as missing. kBadInput for
  // a cell that the column's taxonomy or domain does not know; `source` names the file in the message.
  static Result<LabelMeanings> Read(const PublishedColumn& column, CellStyle style, std::vector<std::string> labels,
                                    std::span<const std::string> missing, const std::string& source);

  // By label. kUsage for an interval on a plain column whose cells are not all numbers.
  Result<std::vector<CellMatch>> Match(const BoundQuery& bound, const ColumnCondition& condition) const;

  // Whether any cell of a plain column is this value.
  bool Holds(const std::string& value) const;

  std::size_t size() const { return labels_.size(); }
  const std::vector<std::string>& labels() const { return labels_; }
  // Those that stand for a value, as a query would name them.
  std::vector<std::string> Values() const;

 private:
  struct Meaning {
    IntervalSet::Span span;       // of leaves or numbers
    bool has_values = true;       // false: it is missing for sure
    bool may_be_missing = false;  // besides, or instead
  };
  void ReadPlain(std::span<const std::string> missing);
  Status ReadCollected(const PublishedColumn& column, std::span<const std::string> missing, const std::string& source);
  Status ReadGeneralized(const PublishedColumn& column, bool allows_missing, const std::string& source);
  CellMatch MatchBox(const Meaning& meaning, const AllowedValues& allowed) const;
  std::vector<bool> MatchPlain(const Predicate& predicate) const;  // by label

  std::string name_;
  std::vector<std::string> labels_;
  bool is_plain_ = false;
  std::vector<std::string> missing_;             // if plain: texts that count as missing, besides the empty one
  std::vector<Meaning> meanings_;                // by label, unless plain
  bool shows_missing_ = false;                   // unless plain: some cell is missing for sure
  WideNumber unit_ = 1;                          // between neighbouring values of a generalized number
  std::vector<std::optional<Decimal>> numbers_;  // by label, if plain
  bool is_ordered_ = false;                      // plain, and every label that is not missing is a number
  std::vector<std::string> sorted_labels_;       // if plain: to find a value among them
  std::vector<WideNumber> sorted_numbers_;
};

}  // namespace pentimento
