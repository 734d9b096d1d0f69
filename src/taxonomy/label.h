// Which labels a taxonomy may hold. A published label has to be read back as the node it was written for,
// so labels that could be mistaken for something else are refused before anything is published.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pentimento {

inline constexpr std::string_view kPublishedRoot = "*";

// What keeps `label` from being a node below the root, and what to do about it, ready to follow the words
// "the label ..."; nothing where the label is fine. "*" is a fault here: it is the root's alone.
std::optional<std::string> FindLabelFault(std::string_view label);
// The same for the root, which may be called "*".
std::optional<std::string> FindRootLabelFault(std::string_view label);

// The offset of the first byte that is not part of well-formed UTF-8; nothing where all of it is.
std::optional<std::size_t> FindBadUtf8(std::string_view text);

}  // namespace pentimento
