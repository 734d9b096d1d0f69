#include "taxonomy/build.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fmt/core.h"
#include "taxonomy/arx_text.h"
#include "taxonomy/label.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {
namespace {

// Far above any hierarchy a person would look at; wider ranges are better declared as numeric domains.
constexpr std::int64_t kMostNumbers = 1'000'000;
// Leaves room for the end of the widest interval.
constexpr std::int64_t kLargestNumber = 1'000'000'000'000'000;

Result<std::string> Validated(std::string text) {
  PENTIMENTO_ASSIGN([[maybe_unused]] const Taxonomy taxonomy, Taxonomy::Parse(text, "built taxonomy"));
  return text;
}

Error BadValue(std::size_t index, std::string_view fault) {
  return {ErrorCode::kBadPolicy, fmt::format("value {} of the list {}", index + 1, fault)};
}

Status CheckValues(std::span<const std::string> values) {
  if (values.empty()) return Error{ErrorCode::kBadPolicy, "the list of values is empty; give at least one value"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto fault = FindLabelFault(values[i])) return BadValue(i, *fault);
  }
  return {};
}

// Where each character of well-formed UTF-8 starts: masking half a character would leave bad UTF-8.
std::vector<std::size_t> CharacterStarts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  return starts;
}

std::string PrefixLine(const std::string& value) {
  const std::vector<std::size_t> starts = CharacterStarts(value);
  std::vector<std::string> masked;
  for (std::size_t kept = starts.size() - 1; kept > 0; --kept) {
    masked.push_back(value.substr(0, starts[kept]) + std::string(starts.size() - kept, '*'));
  }
  std::vector<std::string_view> path = {value};
  path.insert(path.end(), masked.begin(), masked.end());
  path.push_back(kPublishedRoot);
  return WriteArxLine(path);
}

Status CheckWidths(std::span<const std::int64_t> widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] < 2 || widths[i] > kLargestNumber) {
      return Error{ErrorCode::kUsage, fmt::format("interval width {} is out of range; give whole numbers from 2 to {}",
                                                  widths[i], kLargestNumber)};
    }
    if (i > 0 && (widths[i] <= widths[i - 1] || widths[i] % widths[i - 1] != 0)) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("interval width {} is not a larger multiple of {}; give widths that nest, such as 5,10,20",
                      widths[i], widths[i - 1])};
    }
  }
  return {};
}

Status CheckRange(std::int64_t lo, std::int64_t hi) {
  if (lo > hi) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the range from {} to {} is empty; give the smaller number first", lo, hi)};
  }
  if (lo < -kLargestNumber || hi > kLargestNumber) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the range leaves {} to {}; give smaller numbers", -kLargestNumber, kLargestNumber)};
  }
  if (hi - lo >= kMostNumbers) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the range holds more than {} numbers; declare the column with a numeric "
                             "domain = [lo, hi] instead",
                             kMostNumbers)};
  }
  return {};
}

// The largest multiple of `width` that is not above `number`, below zero too.
std::int64_t FloorToMultiple(std::int64_t number, std::int64_t width) {
  const std::int64_t rest = number % width;
  return number - (rest < 0 ? rest + width : rest);
}

}  // namespace

Result<std::string> BuildPrefixTaxonomy(std::span<const std::string> values) {
  PENTIMENTO_RETURN_IF_ERROR(CheckValues(values));
  const std::size_t length = CharacterStarts(values.front()).size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (CharacterStarts(values[i]).size() != length) {
      return BadValue(i,
                      fmt::format("does not have {} characters as value 1 has; pad the values to one length", length));
    }
    if (values[i].find('*') != std::string::npos) return BadValue(i, "holds '*', which is the mask; remove it");
  }
  std::vector<std::string> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string text;
  for (const std::string& value : sorted) text += PrefixLine(value);
  return Validated(std::move(text));
}

Result<std::string> BuildIntervalTaxonomy(std::int64_t lo, std::int64_t hi, std::span<const std::int64_t> widths) {
  PENTIMENTO_RETURN_IF_ERROR(CheckRange(lo, hi));
  PENTIMENTO_RETURN_IF_ERROR(CheckWidths(widths));
  std::string text;
  for (std::int64_t number = lo; number <= hi; ++number) {
    std::vector<std::string> labels = {fmt::format("{}", number)};
    for (const std::int64_t width : widths) {
      const std::int64_t from = FloorToMultiple(number, width);
      labels.push_back(fmt::format("[{},{})", from, from + width));
    }
    labels.emplace_back(kPublishedRoot);
    text += WriteArxLine({labels.begin(), labels.end()});
  }
  return Validated(std::move(text));
}

Result<std::string> BuildFlatTaxonomy(std::span<const std::string> values) {
  PENTIMENTO_RETURN_IF_ERROR(CheckValues(values));
  std::unordered_set<std::string_view> seen;  // only asked, never walked
  std::string text;
  for (const std::string& value : values) {
    if (seen.insert(value).second) text += WriteArxLine({value, kPublishedRoot});
  }
  return Validated(std::move(text));
}

}  // namespace pentimento
