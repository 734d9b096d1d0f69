// "Did you mean ...?" for misspelt names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pentimento {

// The candidate closest to `word`, if it is close enough that a person could have meant it.
std::optional<std::string> ClosestName(std::string_view word, std::span<const std::string> candidates);

// " Did you mean 'x'?" or an empty text: ready to append to a message.
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace pentimento
