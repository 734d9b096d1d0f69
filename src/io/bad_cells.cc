#include "io/bad_cells.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/plural.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

constexpr std::size_t kLongestExample = 60;  // bytes

// "20 rows, 2 different values"; nothing of a single row.
std::string CountsOf(const BadCells::Cause& cause) {
  if (cause.rows == 1) return "";
  std::string text = fmt::format(" ({} rows", WithCommas(cause.rows));
  if (cause.values.size() == BadCells::kMostValues) {
    text += fmt::format(", at least {} different values", WithCommas(cause.values.size()));
  } else if (!cause.values.empty()) {
    text += fmt::format(", {} {}", WithCommas(cause.values.size()),
                        Plural(cause.values.size(), "value", "different values"));
  }
  return text + ")";
}

std::string ExamplesOf(const BadCells::Cause& cause) {
  if (cause.examples.empty()) return "";
  return fmt::format("\n    values: '{}'{}", fmt::join(cause.examples, "', '"),
                     cause.values.size() > cause.examples.size() ? ", ..." : "");
}

}  // namespace

BadCells::Cause& BadCells::CauseOf(const char* what, RowPlace place) {
  for (Cause& cause : causes_) {
    if (std::strcmp(cause.what, what) == 0) return cause;
  }
  return causes_.emplace_back(Cause{what, place});
}

void BadCells::AddValue(Cause& cause, std::uint64_t hash) {
  if (cause.values.size() < kMostValues) cause.values.insert(hash);
}

void BadCells::AddExample(Cause& cause, std::string_view text) {
  if (cause.examples.size() == kExamples) return;
  std::string example(text.substr(0, kLongestExample));
  if (text.size() > kLongestExample) example += "...";
  if (std::ranges::find(cause.examples, example) == cause.examples.end()) cause.examples.push_back(std::move(example));
}

void BadCells::Add(std::int64_t row, std::optional<std::string_view> text, const char* what) {
  Cause& cause = CauseOf(what, {0, static_cast<std::uint64_t>(row) + 1});
  ++cause.rows;
  if (!text || text->empty()) return;
  AddValue(cause, Checksum(std::as_bytes(std::span(*text))));
  AddExample(cause, *text);
}

void BadCells::Join(const BadCells& later, std::size_t source, std::uint64_t before) {
  for (const Cause& theirs : later.causes_) {
    Cause& cause = CauseOf(theirs.what, {source, before + theirs.first.row});
    cause.rows += theirs.rows;
    for (const std::uint64_t hash : theirs.values) AddValue(cause, hash);
    for (const std::string& example : theirs.examples) AddExample(cause, example);
  }
}

Error TellBadCells(std::span<const std::string> names, std::span<const BadCells> cells,
                   std::span<const std::string> sources, bool shows_values) {
  std::string message;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    for (const BadCells::Cause& cause : cells[column].causes()) {
      if (!message.empty()) message += "\n  ";
      message += fmt::format("{}: row {} (the header not counted), column '{}': the cell {}{}{}",
                             sources[cause.first.source], cause.first.row, names[column], cause.what, CountsOf(cause),
                             shows_values ? ExamplesOf(cause) : "");
    }
  }
  return {ErrorCode::kBadInput, std::move(message)};
}

}  // namespace pentimento
