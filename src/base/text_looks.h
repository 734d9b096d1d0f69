// What a text seems to be, for messages about cells that do not fit. Nothing is decided by it.
#pragma once

#include <string_view>

namespace pentimento {

// Days as people write them: "2026-11-18", "18.11.26", "11/18/2026", also with a time behind.
bool LooksLikeDate(std::string_view text);

// One of the texts that programs and people write where nothing is known: "NA", "?", "-", "null", "n/a", ...
bool LooksLikeMissing(std::string_view text);

// Keeps one zero of a text that has nothing else.
std::string_view WithoutZerosInFront(std::string_view text);

}  // namespace pentimento
