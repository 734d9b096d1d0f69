#include "taxonomy/label.h"

namespace pentimento {
namespace {

unsigned char ByteAt(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// The length of the well-formed UTF-8 sequence at `at`, or 0. Overlong forms, surrogates and anything above
// U+10FFFF show in the second byte, which is why its range depends on the first.
std::size_t SequenceLength(std::string_view text, std::size_t at) {
  const unsigned char first = ByteAt(text, at);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (ByteAt(text, at + 1) < lowest || ByteAt(text, at + 1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((ByteAt(text, at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// Line breaks would tear a line of the file in two, and escape sequences would act on the reader's terminal.
// U+0080 to U+009F are control characters too and begin with the byte C2.
bool HoldsControlCharacter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = ByteAt(text, i);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && ByteAt(text, i + 1) < 0xA0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> FindBadUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = SequenceLength(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::optional<std::string> FindLabelFault(std::string_view label) {
  if (label == kPublishedRoot) return "is '*', which is reserved for the root; give this node another name";
  return FindRootLabelFault(label);
}

std::optional<std::string> FindRootLabelFault(std::string_view label) {
  if (label.find_first_not_of(' ') == std::string_view::npos) {
    return "is empty, which is reserved for missing values; name it or leave it out with its separator (depths may "
           "differ)";
  }
  if (FindBadUtf8(label)) return "is not valid UTF-8; convert it to UTF-8";
  if (HoldsControlCharacter(label)) return "holds a control character such as a line break or a tab; remove it";
  if (label.front() == '{') return "starts with '{', which is reserved for published sets; write '(' or another name";
  return std::nullopt;
}

}  // namespace pentimento
