#include "base/fold_case.h"

#include <array>
#include <cstdint>

#include "base/blanks.h"

namespace pentimento {
namespace {

// Capitals from `first` to `last`: each is followed by its small letter, or has it `distance` further on.
struct Capitals {
  std::uint32_t first, last;
  std::int32_t distance;
};
constexpr std::int32_t kInTurn = 0;  // the even ones, or the odd ones, as `first` is

// In ascending order. What is up to U+07FF has two bytes, the others three.
constexpr std::array kCapitals = {
    Capitals{0x00C0, 0x00D6, 32},      Capitals{0x00D8, 0x00DE, 32},      Capitals{0x0100, 0x012E, kInTurn},
    Capitals{0x0132, 0x0136, kInTurn}, Capitals{0x0139, 0x0147, kInTurn}, Capitals{0x014A, 0x0176, kInTurn},
    Capitals{0x0178, 0x0178, -121},    Capitals{0x0179, 0x017D, kInTurn}, Capitals{0x018F, 0x018F, 202},
    Capitals{0x01A0, 0x01A4, kInTurn}, Capitals{0x01AF, 0x01AF, kInTurn}, Capitals{0x01CD, 0x01DB, kInTurn},
    Capitals{0x01DE, 0x01EE, kInTurn}, Capitals{0x01F8, 0x021E, kInTurn}, Capitals{0x0222, 0x0232, kInTurn},
    Capitals{0x0386, 0x0386, 38},      Capitals{0x0388, 0x038A, 37},      Capitals{0x038C, 0x038C, 64},
    Capitals{0x038E, 0x038F, 63},      Capitals{0x0391, 0x03A1, 32},      Capitals{0x03A3, 0x03AB, 32},
    Capitals{0x0400, 0x040F, 80},      Capitals{0x0410, 0x042F, 32},      Capitals{0x0460, 0x0480, kInTurn},
    Capitals{0x048A, 0x04BE, kInTurn}, Capitals{0x04C1, 0x04CD, kInTurn}, Capitals{0x04D0, 0x052E, kInTurn},
    Capitals{0x0531, 0x0556, 48},      Capitals{0x1E00, 0x1E94, kInTurn}, Capitals{0x1EA0, 0x1EFE, kInTurn}};
constexpr std::uint32_t kFinalSigma = 0x03C2, kSigma = 0x03C3;

std::uint32_t SmallLetter(std::uint32_t letter) {
  if (letter == kFinalSigma) return kSigma;
  for (const Capitals& range : kCapitals) {
    if (letter < range.first) return letter;
    if (letter > range.last) continue;
    if (range.distance != kInTurn) return letter + static_cast<std::uint32_t>(range.distance);
    return (letter - range.first) % 2 == 0 ? letter + 1 : letter;
  }
  return letter;
}

// What the letters from U+00C0 on are without their accents; a point where they have none.
constexpr std::uint32_t kFirstAccented = 0xC0;
constexpr std::string_view kBaseLetters =
    "AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
    "AaAaAaCcCcCcCcDd..EeEeEeEeEeGgGgGgGgHh..IiIiIiIiI...JjKk.LlLlLl."
    "...NnNnNn...OoOoOo..RrRrRrSsSsSsSsTtTt..UuUuUuUuUuUuWwYyYZzZzZz.";

bool Continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

// A small letter takes as many bytes as its capital.
std::string FoldCase(std::string_view text) {
  std::string folded(text);
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto put = [&](std::size_t at, std::uint32_t value) { folded[at] = static_cast<char>(value); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= 'A' && text[i] <= 'Z') {
      put(i, byte(i) + 32U);
    } else if (byte(i) >= 0xC2 && byte(i) <= 0xDF && Continues(text, i + 1)) {
      const std::uint32_t small = SmallLetter((byte(i) & 0x1FU) << 6 | (byte(i + 1) & 0x3FU));
      put(i, 0xC0 | small >> 6);
      put(i + 1, 0x80 | (small & 0x3F));
      ++i;
    } else if (byte(i) == 0xE1 && Continues(text, i + 1) && Continues(text, i + 2)) {
      const std::uint32_t small = SmallLetter(0x1000U | (byte(i + 1) & 0x3FU) << 6 | (byte(i + 2) & 0x3FU));
      put(i + 1, 0x80 | (small >> 6 & 0x3F));
      put(i + 2, 0x80 | (small & 0x3F));
      i += 2;
    }
  }
  return folded;
}

std::string WithoutAccents(std::string_view text) {
  std::string plain;
  text = WithoutBlanks(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0xC3 || byte > 0xCD || !Continues(text, i + 1)) {
      plain += text[i];
      continue;
    }
    const std::uint32_t letter = (byte & 0x1FU) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3FU);
    const bool is_accent = letter >= 0x0300 && letter < 0x0370;
    const char base = letter - kFirstAccented < kBaseLetters.size() ? kBaseLetters[letter - kFirstAccented] : '.';
    if (base != '.') {
      plain += base;
    } else if (!is_accent) {
      plain += text.substr(i, 2);
    }
    ++i;
  }
  return plain;
}

}  // namespace pentimento
