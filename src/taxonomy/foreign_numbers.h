// The numbers that a label of another tool names, before anybody knows the domain that they are points of. Here is only
// the grammar; what it means in a domain is foreign_label.h.
//
//   a range   20-29  20 - 29  -5--1  20–29  20..29  20 to 29     both ends belong to it
//             [20, 30[  ]20, 30]  (20, 30]  [20,30)  (20.5, 30.25]  as the brackets say; an end may be inf
//             >=50  >50  <=50  <50  ≥50  ≤50  50+                 one end
//             20                                                  one number
//   a set     {17, 23, 31}  {17|23}  17|23                        just these numbers
//   a mask    2043*  20**  ***                                    digits, then stars
//
// 1. A label has one reading or none. "20-29-30", "2020-01-31" and "[20,5, 30]" have none, and neither has a list of
//    numbers without braces, "17,23": its comma may be a decimal one.
// 2. Numbers are exact decimals. One with an exponent is none: R rounds to three digits before it writes "1e+05".
// 3. A range whose ends are in the wrong order, or that holds no number, is none: "20-10", "[30,20]", "(20,20]".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/decimal.h"

namespace pentimento {

struct NumberEnd {
  Decimal number;
  bool is_included = true;
};

// All numbers between two ends. Without one it goes on as far as the domain does.
struct NumberPart {
  std::optional<NumberEnd> lo;
  std::optional<NumberEnd> hi;
};

struct ForeignNumbers {
  enum class Kind { kRange, kSet, kMask };

  Kind kind = Kind::kRange;
  // Of a range it alone; of a set its numbers, each a part of its own. Of a mask what it may stand for: first the whole
  // numbers with a digit for every star, then those with fewer digits, down to none, because tools pad short numbers
  // with blanks before they mask them.
  std::vector<NumberPart> parts;
};

std::optional<ForeignNumbers> ParseForeignNumbers(std::string_view label);

// Blanks and tabs at both ends mean nothing.
std::string_view WithoutBlanks(std::string_view text);

}  // namespace pentimento
