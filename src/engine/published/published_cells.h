// What the cells of a published table mean: one strict parser for each kind of column, for every reader of a release.
//
//   count                 ReadWholeNumbers  "3", and not "3abc", "0", "-1", " 3", "+3", "03"
//   class_id, group_id    FormOfId          the same, while the table is read
//   case_id               FormOfId          any name that is not empty
//   change                ReadChanges       "new", "refined"
//   a generalized value   ReadLabels        "Care", "{Nurse|Clerk}", "[17,25)", "37", "*"; "" where it may be missing
//   as it was collected   none              any text
//
// The labels of a release that another tool made are read by foreign_cells.h, which puts them into our own words first.
//
// A cell that is none of these is kBadInput with its place and without its text: the table is not as it was published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "engine/published/published_table.h"
#include "io/encode.h"
#include "release/classes.h"
#include "table/values.h"
#include "taxonomy/domain.h"
#include "taxonomy/interval_label.h"

namespace pentimento {

// By code of the column: a whole number from 1 to 4294967295, in digits, and written in one way only.
Result<std::vector<std::uint32_t>> ReadWholeNumbers(const PublishedTable& table, std::size_t column);

// How the ids of this column are written; nothing where it is none of ours.
std::optional<IdForm> FormOfId(std::string_view column);

// By row: 1 for "refined", 0 for "new".
Result<std::vector<std::uint8_t>> ReadChanges(const PublishedTable& table, std::size_t column);

// The declared range, as fine as the manifest says that its numbers are, or as these numbers need it.
Result<Domain> DomainOfNumbers(const PublishedColumn& column, std::vector<IntervalNumbers> labels, bool allows_missing);
// A domain that holds all that these labels mean; those that mean nothing are passed over. `labels`: lists of them.
Result<Domain> DomainOfLabels(const PublishedColumn& column, const std::vector<const std::vector<std::string>*>& labels,
                              bool allows_missing);
// Domains of the quasi-identifiers, which are the first columns of each of these tables.
Result<std::vector<Domain>> DomainsOfLabels(const Manifest& manifest, bool allows_missing,
                                            const std::vector<const PublishedTable*>& tables);

// By code of the column: what its labels mean in the domain.
Result<std::vector<Interval>> ReadLabels(const PublishedTable& table, std::size_t column, const Domain& domain);

// The boxes of a table whose first columns are the quasi-identifiers. Rows with equal labels are one class.
Result<Classes> ReadBoxes(const PublishedTable& table, std::span<const Domain> domains);

// The different cells of a column, sorted, and which of them each code is. Of a quasi-identifier the texts in `missing`
// are the empty label, as a missing value is published.
struct ColumnLabels {
  std::vector<std::string> labels;
  std::vector<std::uint32_t> label_of_code;
};
ColumnLabels LabelsOf(const ValueColumn& values, Role role, const std::vector<std::string>& missing);

// Global and local recoding. A column is a cut where its labels exclude each other: none stands for a value that
// another one stands for, too. Where they do not, people with the same value were published with different labels, and
// who is who can sometimes be told by counting. What is published as it came is a cut. A label that cannot be read
// makes none.
bool IsCut(const PublishedColumn& column, const std::vector<std::string>& labels);

// The first row with a code for which `is_wanted` holds.
std::optional<std::size_t> FindRow(const CodeColumn& codes, const std::vector<bool>& is_wanted);

}  // namespace pentimento
