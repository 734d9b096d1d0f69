// Codes of records side by side, record after record, in lanes as wide as the widest domain needs.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/unfilled.h"

namespace pentimento {

using CodeLanes = std::variant<std::span<const std::uint16_t>, std::span<const std::uint32_t>>;
using OwnedLanes = std::variant<UnfilledVector<std::uint16_t>, UnfilledVector<std::uint32_t>>;

inline CodeLanes ViewOf(const OwnedLanes& codes) {
  return std::visit([](const auto& owned) { return CodeLanes(std::span(owned.data(), owned.size())); }, codes);
}

}  // namespace pentimento
