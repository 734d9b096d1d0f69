#include "engine/published/published_counts.h"

#include <charconv>

#include "fmt/core.h"
#include "io/csv_rows.h"

namespace pentimento {

Result<std::vector<std::uint64_t>> ReadPublishedCounts(const ValueColumn& column, const std::filesystem::path& file) {
  std::vector<std::uint64_t> of_code;
  for (const std::string& text : CsvTexts(column)) {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: a count is not a whole number above 0; the release was changed after it was "
                               "published",
                               file.string())};
    }
    of_code.push_back(count);
  }
  std::vector<std::uint64_t> of_row(column.codes.size());
  for (std::size_t row = 0; row < of_row.size(); ++row) of_row[row] = of_code[column.codes[row]];
  return of_row;
}

}  // namespace pentimento
