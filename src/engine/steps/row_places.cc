#include "engine/steps/row_places.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace pentimento {
namespace {

// The file, and the row in it, counted from 1.
std::pair<std::size_t, std::size_t> FileAndRow(const RowPlaces& places, std::size_t row) {
  const auto file =
      static_cast<std::size_t>(std::ranges::upper_bound(places.rows_after_file, row) - places.rows_after_file.begin());
  return {file, row - (file == 0 ? 0 : places.rows_after_file[file - 1]) + 1};
}

}  // namespace

std::string RowPlaces::Of(std::size_t row) const {
  const auto [file, number] = FileAndRow(*this, row);
  return fmt::format("{}: row {} (the header not counted)", files[file].string(), number);
}

std::string RowPlaces::Of(std::size_t first, std::size_t second) const {
  const auto [file, number] = FileAndRow(*this, first);
  const auto [other_file, other_number] = FileAndRow(*this, second);
  if (file == other_file) {
    return fmt::format("{}: rows {} and {} (the header not counted)", files[file].string(), number, other_number);
  }
  return fmt::format("{}: row {} and {}: row {} (headers not counted)", files[file].string(), number,
                     files[other_file].string(), other_number);
}

}  // namespace pentimento
