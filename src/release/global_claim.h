// What the global guarantee promises of a series, and a release of it as its verifier sees it: who is in which class,
// how large the classes are, and how many of their rows have a sensitive value. All of it is public but for the numbers
// of the people, which an attacker who knows all quasi-identifiers has as well.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/interval.h"

namespace pentimento {

// A sensitive value, or a set of values that is one thing to hide ("any of these diseases").
struct SensitiveItem {
  std::uint32_t column = 0;  // of the sensitive ones; beyond them: promised before, and not published now
  std::vector<Code> values;  // ascending; empty where nobody in the table has it
  std::uint64_t l = 2;       // nobody was ever linked to it with a chance above 1/l
  bool transient = true;     // whether somebody has it in one release says nothing about another release
  std::string name;      // how messages call it: the column and values that the policy lists, never a value of the data
  bool is_asked = true;  // by the policy of this release; otherwise only an earlier one promised it
};

struct GlobalClaim {
  std::vector<SensitiveItem> items;
};

// How many rows of one class are about a person who has several rows in the release.
struct RowsInClass {
  std::uint32_t person = 0;
  std::uint32_t class_number = 0;
  std::uint32_t rows = 0;  // never 0
};

// One release of a series. People are numbered over the whole series.
struct ReleaseClasses {
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kSeveral = kAbsent - 1;

  // By person: the class of the person's row, kAbsent, or kSeveral for whom `several_rows` tells. People with higher
  // numbers than it has are absent.
  std::vector<std::uint32_t> class_of_person;
  std::vector<RowsInClass> several_rows;  // ascending by person, then by class
  std::vector<std::uint32_t> size;        // by class: its rows
  std::vector<std::uint32_t> holders;     // class after class: its rows with item 0, with item 1, ...
  // By class: the smallest class that readers may confuse it with, because boxes overlap; itself where there is none.
  // Empty: everybody's class is known.
  std::vector<std::uint32_t> confusable = {};

  std::size_t classes() const { return size.size(); }
};

}  // namespace pentimento
