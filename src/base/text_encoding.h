// The encodings in which people have their tables, and their way into UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pentimento {

enum class TextEncoding : std::uint8_t { kUtf8, kLatin1, kWindows1252, kUtf16 };

// As a policy writes them, in the order of TextEncoding.
inline constexpr std::array<std::string_view, 4> kEncodingNames = {"utf-8", "latin-1", "windows-1252", "utf-16"};
inline std::string_view NameOf(TextEncoding encoding) { return kEncodingNames[static_cast<std::size_t>(encoding)]; }

enum class ByteOrder : std::uint8_t { kLittle, kBig };

// How many bytes at the beginning of `text` are ASCII.
std::size_t CountAscii(std::string_view text);

// Text of another encoding becomes UTF-8, piece by piece, wherever it is cut.
//
// 1. What it makes is well-formed UTF-8.
// 2. It guesses nothing: a byte that the encoding has no letter for is bad. Latin-1 has control characters from 0x80 to
//    0x9F; whoever has these bytes means windows-1252.
class TextDecoder {
 public:
  // Not for UTF-8. The byte order is that of UTF-16.
  explicit TextDecoder(TextEncoding encoding, ByteOrder order = ByteOrder::kLittle)
      : encoding_(encoding), order_(order) {}

  struct Decoded {
    std::size_t taken = 0;  // bytes of the input
    std::size_t made = 0;   // bytes of the output
    bool is_bad = false;    // the next byte of the input, or what stands before it, is no text
  };
  // Goes on until the input ends, or four bytes may not fit into the output any more.
  Decoded Decode(std::string_view in, std::span<char> out);
  // At the end of the text: nothing may be left half read.
  bool End() const { return !has_half_ && high_ == 0; }

 private:
  Decoded DecodeBytes(std::string_view in, std::span<char> out) const;
  Decoded DecodePairs(std::string_view in, std::span<char> out);

  TextEncoding encoding_;
  ByteOrder order_;
  // Of UTF-16: the first byte of a pair, and the first of two pairs that are one letter (0: none).
  bool has_half_ = false;
  unsigned char half_ = 0;
  std::uint32_t high_ = 0;
};

}  // namespace pentimento
