// What a text seems to be, for messages about cells that do not fit and for drafts of policies. Nothing is decided by
// it.
#pragma once

#include <span>
#include <string_view>

namespace pentimento {

// Days as people write them: "2026-11-18", "18.11.26", "11/18/2026", also with a time behind.
bool LooksLikeDate(std::string_view text);

// Texts that tables hold where nothing is known, as programs write them: "NA", "?", "-", "null", "n/a", ... Whether
// they mean that, the owner of the table decides.
std::span<const std::string_view> UsualMissingTexts();
// One of them, or what people write instead, in letters of any case.
bool LooksLikeMissing(std::string_view text);

// Keeps one zero of a text that has nothing else.
std::string_view WithoutZerosInFront(std::string_view text);

}  // namespace pentimento
