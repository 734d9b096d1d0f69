#include "files/arrow/parquet_bits.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace pentimento {
namespace {

// Packed bits come in groups of eight values.
constexpr std::size_t kGroup = 8;
// So many equal values in a row are written as a repetition. Shorter ones would cut packed stretches into pieces, whose
// beginnings cost as much as they save.
constexpr std::size_t kShortestRepetition = 64;

void AppendVarint(std::uint64_t number, PageBytes& page) {
  for (; number >= 0x80; number >>= 7) page.push_back(static_cast<std::uint8_t>(number | 0x80));
  page.push_back(static_cast<std::uint8_t>(number));
}

void AppendRepetition(std::uint32_t value, std::size_t times, unsigned width, PageBytes& page) {
  AppendVarint(std::uint64_t{times} << 1, page);
  for (unsigned bits = 0; bits < width; bits += 8) page.push_back(static_cast<std::uint8_t>(value >> bits));
}

void AppendPackedHeader(std::size_t groups, PageBytes& page) { AppendVarint(std::uint64_t{groups} << 1 | 1, page); }

// The last group is filled up with zeros.
void AppendPacked(std::span<const std::uint32_t> values, unsigned width, PageBytes& page) {
  if (values.empty()) return;
  const std::size_t groups = (values.size() + kGroup - 1) / kGroup;
  AppendPackedHeader(groups, page);
  const std::size_t begin = page.size(), end = begin + groups * width;
  page.resize(end + sizeof(std::uint32_t));  // whole words are stored
  std::uint8_t* out = page.data() + begin;
  std::uint64_t waiting = 0;
  unsigned filled = 0;
  for (const std::uint32_t value : values) {
    waiting |= std::uint64_t{value} << filled;
    filled += width;
    if (filled >= 32) {
      const auto word = static_cast<std::uint32_t>(waiting);
      std::memcpy(out, &word, sizeof word);
      out += sizeof word;
      waiting >>= 32;
      filled -= 32;
    }
  }
  const auto rest = static_cast<std::uint32_t>(waiting);
  std::memcpy(out, &rest, sizeof rest);
  page.resize(end);
}

// How often the first value comes in a row.
std::size_t Repetitions(std::span<const std::uint32_t> values) {
  std::size_t times = 1;
  while (times < values.size() && values[times] == values[0]) ++times;
  return times;
}

}  // namespace

unsigned IndexWidth(std::size_t entries) {
  return entries < 2 ? 1 : static_cast<unsigned>(std::bit_width(entries - 1));
}

void AppendHybrid(std::span<const std::uint32_t> values, unsigned width, PageBytes& page) {
  static_assert(std::endian::native == std::endian::little, "words are stored as they lie in memory");
  Check(width >= 1 && width <= 32, "values of a page have 1 to 32 bits");
  std::size_t packed = 0;  // from here on nothing is written yet
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t times = Repetitions(values.subspan(at));
    if (times < kShortestRepetition) {
      at = std::min(at + kGroup, values.size());
      continue;
    }
    AppendPacked(values.subspan(packed, at - packed), width, page);
    AppendRepetition(values[at], times, width, page);
    packed = at += times;
  }
  AppendPacked(values.subspan(packed), width, page);
}

void AppendLevels(std::size_t rows, std::span<const std::uint8_t> valid, PageBytes& page) {
  const std::size_t begin = page.size();
  page.resize(begin + sizeof(std::uint32_t));
  if (valid.empty()) {
    AppendRepetition(1, rows, 1, page);
  } else {
    const std::size_t groups = (rows + kGroup - 1) / kGroup;
    AppendPackedHeader(groups, page);
    page.insert(page.end(), valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(groups));
  }
  const auto length = static_cast<std::uint32_t>(page.size() - begin - sizeof(std::uint32_t));
  std::memcpy(page.data() + begin, &length, sizeof length);
}

void AppendIndices(std::span<const std::uint32_t> indices, unsigned width, PageBytes& page) {
  page.push_back(static_cast<std::uint8_t>(width));
  AppendHybrid(indices, width, page);
}

}  // namespace pentimento
