// Codes of records side by side, record after record, in numbers as large as the largest domain needs.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/unfilled.h"

namespace pentimento {

using CodesByRecord = std::variant<std::span<const std::uint16_t>, std::span<const std::uint32_t>>;
using OwnedCodes = std::variant<UnfilledVector<std::uint16_t>, UnfilledVector<std::uint32_t>>;

inline CodesByRecord ViewOf(const OwnedCodes& codes) {
  return std::visit([](const auto& owned) { return CodesByRecord(std::span(owned.data(), owned.size())); }, codes);
}

}  // namespace pentimento
