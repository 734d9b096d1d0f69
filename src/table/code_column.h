// A column of codes, as narrow as its domain allows: 8, 16 or 32 bits per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/interval.h"

namespace pentimento {

class CodeColumn {
 public:
  CodeColumn() = default;
  // Room for codes below `domain_size`; `rows` zeros to begin with.
  explicit CodeColumn(std::uint64_t domain_size, std::size_t rows = 0) {
    if (domain_size <= (std::uint64_t{1} << 8)) {
      codes_ = std::vector<std::uint8_t>(rows);
    } else if (domain_size <= (std::uint64_t{1} << 16)) {
      codes_ = std::vector<std::uint16_t>(rows);
    } else {
      codes_ = std::vector<std::uint32_t>(rows);
    }
  }

  // An empty column of the same width.
  CodeColumn SameWidth() const {
    CodeColumn column;
    std::visit([&](const auto& codes) { column.codes_ = std::remove_cvref_t<decltype(codes)>(); }, codes_);
    return column;
  }

  std::size_t size() const {
    return std::visit([](const auto& codes) { return codes.size(); }, codes_);
  }
  int bits() const {
    return std::visit([](const auto& codes) { return static_cast<int>(8 * sizeof(codes[0])); }, codes_);
  }
  // One cell. For loops over rows use Visit(), which chooses the width once.
  Code operator[](std::size_t row) const {
    return std::visit([row](const auto& codes) { return static_cast<Code>(codes[row]); }, codes_);
  }
  void Set(std::size_t row, Code code) {
    std::visit([&](auto& codes) { codes[row] = static_cast<std::remove_reference_t<decltype(codes[0])>>(code); },
               codes_);
  }

  // Calls body(std::span<const uint8_t|uint16_t|uint32_t>).
  template <typename Body>
  decltype(auto) Visit(Body&& body) const {
    return std::visit([&](const auto& codes) -> decltype(auto) { return body(std::span(codes)); }, codes_);
  }
  // Calls body(std::vector<uint8_t|uint16_t|uint32_t>&): for those who fill the column.
  template <typename Body>
  decltype(auto) VisitMutable(Body&& body) {
    return std::visit([&](auto& codes) -> decltype(auto) { return body(codes); }, codes_);
  }

 private:
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes_;
};

}  // namespace pentimento
