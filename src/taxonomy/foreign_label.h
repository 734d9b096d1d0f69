// What a label that another tool wrote (ARX, sdcMicro, Amnesia, pandas) stands for in a domain. The one lenient reader:
// for imported releases, and for tables of strangers. What we publish ourselves is read by Domain::ParseLabel alone.
//
// What is understood, besides all that Domain::ParseLabel reads:
//   of numbers      the forms of foreign_numbers.h
//   of categories   a label with blanks around it; sets of labels {a,b}, {a, b}, {a|b}, a|b; masks 2043*, 20**, which
//                   stand for the leaves that begin so
//
// 1. Strict first. What Domain::ParseLabel reads means the same here, so a label of ours has one meaning, and a node
//    of the taxonomy that is called "20-29", "2043*" or "a|b" is that node.
// 2. An exact reading is the values that the label stands for: no more, no fewer. Where these do not lie side by side
//    ({17, 23, 31}), or where the label has two readings, it is *wider*: the smallest interval that holds all of them.
//    Wider is a sound bound for whoever attacks, who then excludes too little and says so. It is unsound for whoever
//    protects: somebody who knows the label excludes values that we would count. So an import takes exact readings
//    only.
// 3. An open end is the next point of the domain: "(20,30]" is 21 to 30 among whole numbers, 20.01 to 30 among
//    hundredths. Exact decimals, no doubles.
// 4. An end that a label names lies in the domain, or outside of it by less than a unit of the domain's own ends:
// pandas
//    puts the first end a little below the smallest value, "(-0.001, 25.0]". Otherwise the domain is not that of the
//    table, and the label is *beyond* it. An end that is not named (">=50", a mask) is the domain's.
// 5. A mask of digits hides digits, or blanks: ARX pads short values with blanks and masks these as well, so "2*" is 20
//    to 29 and may be 2. It is exact where the domain leaves one of these readings, else wider; nothing is padded to
//    more characters than the longest value has. It is for domains of whole numbers: elsewhere nobody knows where the
//    point is. Of leaves the same holds; one star alone may also stand for any rest, as in a common prefix.
// 6. "a,b" without braces is no set: tools with columns of sets (Amnesia) write so that somebody has both.
// 7. A missing value is never guessed: "NA", "null", " " and the like are not understood. Only the empty label is one,
//    and only in a domain that allows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "taxonomy/domain.h"
#include "taxonomy/foreign_numbers.h"

namespace pentimento {

enum class LabelReading {
  kExact,    // `codes` are what the label stands for
  kWider,    // `codes` are the smallest interval that holds what the label stands for: see 2
  kBeyond,   // its form is understood, but it stands for values that the domain does not have: see 4
  kUnknown,  // its form is not understood, or it could be read in two ways that have nothing to do with each other
};

struct ForeignLabel {
  LabelReading reading = LabelReading::kUnknown;
  Interval codes;  // kExact, kWider
  friend bool operator==(const ForeignLabel&, const ForeignLabel&) = default;
};

class ForeignLabelReader {
 public:
  // REQUIRES: `domain` outlives the reader.
  explicit ForeignLabelReader(const Domain& domain);

  ForeignLabel Read(std::string_view label) const;

  // The same in our own words, so that Domain::ParseLabel reads the same codes; nothing unless the reading is exact.
  // A label of ours stays as it is. An end that is included stays so, "[21,30]" and not "[21,31)": in a release with
  // finer numbers 30.5 is no part of it.
  std::optional<std::string> Translate(std::string_view label) const;

 private:
  ForeignLabel ReadNumbers(const ForeignNumbers& numbers) const;
  ForeignLabel ReadMaskedNumbers(const ForeignNumbers& mask, std::size_t length) const;
  ForeignLabel ReadCategory(std::string_view label) const;
  ForeignLabel ReadLabelSet(std::string_view label) const;
  ForeignLabel ReadMaskedLeaves(std::string_view label) const;
  std::optional<std::vector<Interval>> SplitAt(std::string_view set, char separator, std::size_t* ways) const;

  const Domain& domain_;
  std::vector<Code> leaves_by_label_;  // of a taxonomy: its leaves in the order of their labels' bytes
  std::size_t longest_leaf_ = 0;       // in characters
  std::size_t most_separators_ = 0;    // that a label of the taxonomy holds, of one kind
};

}  // namespace pentimento
