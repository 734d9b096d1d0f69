// Cells that do not fit the policy: counted by column and cause, in the whole table, so that one run tells of all of
// them. Messages name columns, causes and rows, and no value; a few values are at hand for whoever asks for them on a
// terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"

namespace pentimento {

// Where a row is, with the number that people give it: from 1, the header not counted.
struct RowPlace {
  std::size_t source = 0;
  std::uint64_t row = 0;
};

// The cells of one column, or of a part of it.
class BadCells {
 public:
  struct Cause {
    const char* what;  // follows "the cell": what is wrong and what helps; lives as long as the program
    RowPlace first = {};
    std::uint64_t rows = 0;
    std::unordered_set<std::uint64_t> values = {};  // their hashes; no more than kMostValues
    std::vector<std::string> examples = {};
  };
  static constexpr std::size_t kMostValues = 100'000;
  static constexpr std::size_t kExamples = 3;

  bool empty() const { return causes_.empty(); }
  // In the order in which they occur first.
  std::span<const Cause> causes() const { return causes_; }

  // A cell of the row that has this number, from 0, in this part. `text`: nothing where the cell is null.
  void Add(std::int64_t row, std::optional<std::string_view> text, const char* what);
  // A part that follows; `before`: how many rows of its source stand before it.
  void Join(const BadCells& later, std::size_t source, std::uint64_t before);

 private:
  Cause& CauseOf(const char* what, RowPlace place);
  static void AddValue(Cause& cause, std::uint64_t hash);
  static void AddExample(Cause& cause, std::string_view text);

  std::vector<Cause> causes_;
};

// kBadInput: a line for each cause in each column. `names` and `cells`: by column; `sources`: by number.
Error TellBadCells(std::span<const std::string> names, std::span<const BadCells> cells,
                   std::span<const std::string> sources, bool shows_values);

}  // namespace pentimento
