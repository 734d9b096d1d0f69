#include "base/text_encoding.h"

#include <algorithm>
#include <cstring>

namespace pentimento {
namespace {

constexpr std::size_t kLongestLetter = 4;  // bytes of UTF-8

// What windows-1252 has from 0x80 to 0x9F; 0 for nothing. Elsewhere it is Latin-1.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                        0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// Returns where the letter ends. REQUIRES: there is room for four bytes, and `letter` is no surrogate.
char* PutUtf8(std::uint32_t letter, char* out) {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (letter < 0x80) {
    put(letter);
  } else if (letter < 0x800) {
    put(0xC0 | letter >> 6);
    put(0x80 | (letter & 0x3F));
  } else if (letter < 0x10000) {
    put(0xE0 | letter >> 12);
    put(0x80 | (letter >> 6 & 0x3F));
    put(0x80 | (letter & 0x3F));
  } else {
    put(0xF0 | letter >> 18);
    put(0x80 | (letter >> 12 & 0x3F));
    put(0x80 | (letter >> 6 & 0x3F));
    put(0x80 | (letter & 0x3F));
  }
  return out;
}

}  // namespace

std::size_t CountAscii(std::string_view text) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

TextDecoder::Decoded TextDecoder::Decode(std::string_view in, std::span<char> out) {
  return encoding_ == TextEncoding::kUtf16 ? DecodePairs(in, out) : DecodeBytes(in, out);
}

TextDecoder::Decoded TextDecoder::DecodeBytes(std::string_view in, std::span<char> out) const {
  Decoded done;
  while (done.taken < in.size()) {
    const std::size_t plain =
        CountAscii(in.substr(done.taken, std::min(in.size() - done.taken, out.size() - done.made)));
    std::memcpy(out.data() + done.made, in.data() + done.taken, plain);
    done.taken += plain;
    done.made += plain;
    if (done.taken == in.size() || out.size() - done.made < kLongestLetter) break;
    const auto byte = static_cast<unsigned char>(in[done.taken]);
    if (byte < 0x80) continue;
    std::uint32_t letter = byte;
    if (byte < 0xA0) letter = encoding_ == TextEncoding::kWindows1252 ? kWindows1252[byte - 0x80] : 0;
    done.is_bad = letter == 0;
    if (done.is_bad) break;
    char* const end = PutUtf8(letter, out.data() + done.made);
    done.made = static_cast<std::size_t>(end - out.data());
    ++done.taken;
  }
  return done;
}

TextDecoder::Decoded TextDecoder::DecodePairs(std::string_view in, std::span<char> out) {
  Decoded done;
  for (; done.taken < in.size() && out.size() - done.made >= kLongestLetter; ++done.taken) {
    const auto byte = static_cast<unsigned char>(in[done.taken]);
    if (!has_half_) {
      half_ = byte;
      has_half_ = true;
      continue;
    }
    has_half_ = false;
    std::uint32_t letter = order_ == ByteOrder::kLittle ? std::uint32_t{byte} << 8 | half_ : half_ << 8U | byte;
    const bool is_low = letter >= 0xDC00 && letter < 0xE000;
    done.is_bad = is_low != (high_ != 0);
    if (done.is_bad) break;
    if (letter >= 0xD800 && letter < 0xDC00) {
      high_ = letter;
      continue;
    }
    if (is_low) letter = 0x10000 + ((high_ - 0xD800) << 10) + (letter - 0xDC00);
    high_ = 0;
    done.made = static_cast<std::size_t>(PutUtf8(letter, out.data() + done.made) - out.data());
  }
  return done;
}

}  // namespace pentimento
