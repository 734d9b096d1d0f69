// How much a release has lost. Reads only what is published, so that it serves any release. For people: the
// verifier does not use it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"
#include "table/code_column.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct Metrics {
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;         // sets of rows with equal published quasi-identifiers
  std::uint64_t smallest_class = 0;  // in rows
  std::uint64_t largest_class = 0;
  std::uint64_t alone = 0;  // people who are the only one in their class; a row is a person until TellAlone
  __extension__ unsigned __int128 discernibility = 0;  // sum over classes of size squared (exact)
  std::optional<double> c_avg;                         // rows / (classes * k); nothing where no k is known
  double ncp_percent = 0;                              // mean over all cells of RelativeWidth, in percent
  // Levels that the values climbed, per record, summed over the categorical columns; nothing until TellDistortion.
  std::optional<double> categorical_distortion;
  double numeric_distortion = 0;   // (b-a)/(hi-lo), per record, summed over the numeric columns
  std::uint64_t label_depths = 0;  // Domain::Depth of all published cells, added up
  std::vector<double> ncp_percent_by_column;
};

// Of a release in two tables: the sizes of its classes. Its quasi-identifiers are as they came, so nothing of them is
// lost. `columns`: how many there are.
Metrics MeasureClasses(std::span<const ClassNumber> class_of_row, std::uint32_t classes, std::size_t columns,
                       std::uint64_t k);

Metrics Measure(const Classes& draft, std::span<const Domain> domains, std::uint64_t k);

// Of a release whose groups have numbers: each is a class of its own, also where boxes are equal.
Metrics MeasureNumbered(const Classes& draft, std::span<const Domain> domains, std::uint64_t k);

// Where people have several rows: a class may hold several and still be about one person.
void TellAlone(Metrics& metrics, const Classes& draft, const Persons& persons);

// Classes in which everybody has the same sensitive value: whoever finds somebody in one knows it.
struct SingleValued {
  std::uint64_t classes = 0;
  std::uint64_t rows = 0;
};
// A row without a value (`no_value`) is not looked at.
SingleValued CountSingleValued(const Classes& draft, const CodeColumn& values, std::optional<Code> no_value);

// How many levels a value climbed depends on the value, and in a ragged taxonomy no label tells it: what the values
// were has to be known. Domain::Depth of the first `rows` values of all columns, added up.
std::uint64_t DepthsOfValues(std::span<const CodeColumn> values, std::span<const Domain> domains, std::size_t rows);
// REQUIRES: `depths_of_values` is of the rows that were measured, in any order. Where that cannot be, because some
// label lies deeper than a value could, nothing is told.
void TellDistortion(Metrics& metrics, std::uint64_t depths_of_values);

}  // namespace pentimento
