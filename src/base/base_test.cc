#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "base/blanks.h"
#include "base/decimal.h"
#include "base/fold_case.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/ratio.h"
#include "base/suggest.h"
#include "base/text_encoding.h"

namespace pentimento::base_test {
namespace {

TEST(Ratio, ReadsFractionsAndDecimalsExactly) {
  EXPECT_EQ(ParseRatio("1/3"), (Ratio{1, 3}));
  EXPECT_EQ(ParseRatio("0.29"), (Ratio{29, 100}));
  EXPECT_EQ(ParseRatio("2/4"), (Ratio{1, 2}));
  EXPECT_EQ(ParseRatio("1"), (Ratio{1, 1}));
  for (const char* bad : {"", "1/0", "a", "1/", "-1", "0.", "1e3", "1/2/3", "99999999999999999999"}) {
    EXPECT_FALSE(ParseRatio(bad)) << bad;
  }
}

TEST(Ratio, OneThirdIsMoreThan33Hundredths) { EXPECT_GT(*ParseRatio("1/3"), *ParseRatio("0.33")); }

TEST(Ratio, ComparesWithoutOverflow) {
  EXPECT_LT((Ratio{UINT64_MAX - 1, UINT64_MAX}), (Ratio{1, 1}));
  EXPECT_GT((Ratio{UINT64_MAX, 2}), (Ratio{UINT64_MAX - 1, 2}));
}

TEST(Decimal, ReadsAndWritesExactly) {
  for (const char* text : {"0", "37.5", "-3", "0.001", "-0.25", "9223372036854775807"}) {
    ASSERT_TRUE(ParseDecimal(text)) << text;
    EXPECT_EQ(ToString(*ParseDecimal(text)), text);
  }
  EXPECT_EQ(ToString(*ParseDecimal(" 1.50 ")), "1.5");
  EXPECT_EQ(ParseDecimal("2.00")->scale, 0);
  for (const char* bad : {"", ".", "1,5", "1e3", "abc", "--1", "9223372036854775808", "0x1", "1.2.3"}) {
    EXPECT_FALSE(ParseDecimal(bad)) << bad;
  }
}

TEST(Decimal, IsRoundedByTheDigitsThatAreWritten) {
  const struct {
    const char* text;
    int decimals;
    const char* rounded;
  } cases[] = {{"2.675", 2, "2.68"},  {"2.6749999999999998224", 2, "2.67"},
               {"-0.5", 0, "-1"},     {"0.4999", 0, "0"},
               {".5", 0, "1"},        {"12.999", 2, "13"},
               {"12", 2, "12"},       {"0.30000000000000004", 2, "0.3"},
               {" 1.26 ", 1, "1.3"},  {"0.000000000000000000000000001", 3, "0"},
               {"-1.005", 2, "-1.01"}};
  for (const auto& test : cases) {
    ASSERT_TRUE(ParseRounded(test.text, test.decimals)) << test.text;
    EXPECT_EQ(ToString(*ParseRounded(test.text, test.decimals)), test.rounded) << test.text;
  }
  for (const char* bad : {".", "-.", "x.55", "1.5x", "1.25.", "", "9223372036854775807.5"})
    EXPECT_FALSE(ParseRounded(bad, 0)) << bad;
}

TEST(Decimal, ADoubleBecomesItsShortestDecimal) {
  EXPECT_EQ(ToString(*DecimalFromDouble(0.1)), "0.1");
  EXPECT_EQ(ToString(*DecimalFromDouble(-42)), "-42");
  EXPECT_FALSE(DecimalFromDouble(1e300));
}

TEST(Decimal, ScalesUpOrSaysItCannot) {
  EXPECT_EQ(UnitsAtScale({15, 1}, 3), 1500);
  EXPECT_FALSE(UnitsAtScale({INT64_MAX, 0}, 1));
  EXPECT_FALSE(UnitsAtScale({15, 1}, 0));
}

TEST(Suggest, FindsATypingErrorAndNothingFarFetched) {
  const std::vector<std::string> names = {"quasi-identifier", "sensitive", "keep"};
  EXPECT_EQ(ClosestName("sensitve", names), "sensitive");
  EXPECT_EQ(ClosestName("banana", names), std::nullopt);
}

TEST(Hash, Sha256OfAbcIsThePublishedVector) {
  EXPECT_EQ(ToHex(HashContent("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hash, AChecksumInPiecesIsTheChecksumOfTheWhole) {
  std::vector<std::byte> bytes(5000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 >> 3);
  for (const std::size_t piece : {1, 7, 240, 241, 1024, 5000}) {
    StreamedChecksum checksum;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      checksum.Update(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    EXPECT_EQ(checksum.Get(), Checksum(bytes)) << piece;
  }
  EXPECT_EQ(StreamedChecksum().Get(), Checksum({}));
}

TEST(Hash, IdentitiesDependOnTheKey) {
  SecretKey one{}, two{};
  two[0] = 1;
  EXPECT_EQ(IdentityHasher(one)("alice"), IdentityHasher(one)("alice"));
  EXPECT_NE(IdentityHasher(one)("alice"), IdentityHasher(one)("alicf"));
  EXPECT_NE(IdentityHasher(one)("alice"), IdentityHasher(two)("alice"));
}

TEST(Random, SameSeedAndPurposeGiveTheSameStream) {
  Random a(SeedFromNumber(7), "rows"), b(SeedFromNumber(7), "rows"), c(SeedFromNumber(7), "ids");
  bool differs = false;
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t drawn = a.Next32();
    EXPECT_EQ(drawn, b.Next32());
    differs |= drawn != c.Next32();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, BelowIsUniform) {
  Random random(SeedFromNumber(1), "test");
  std::map<std::uint32_t, int> seen;
  for (int i = 0; i < 60000; ++i) ++seen[random.Below(6)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [value, count] : seen) EXPECT_NEAR(count, 10000, 500) << value;
}

// All of the text, which comes in pieces of one length and goes into pieces of another; "!" where it is bad.
std::string DecodedBy(TextDecoder decoder, std::string_view text, std::size_t piece, std::size_t room) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    std::string out(room, '\0');
    const TextDecoder::Decoded done = decoder.Decode(text.substr(at, piece), out);
    at += done.taken;
    all += out.substr(0, done.made);
    if (done.is_bad) return all + "!";
  }
  return all + (decoder.End() ? "" : "!");
}

TEST(TextDecoder, TextIsTheSameWhereverItIsCut) {
  using std::string_literals::operator""s;
  const std::string bytes = "plain text; \xE9t\xE9, 5 \x80, plain again";
  const std::string pairs = "x\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE\n\0"s;  // the last letter but one has two pairs
  std::string swapped = pairs;
  for (std::size_t i = 0; i < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  for (std::size_t piece = 1; piece < 20; ++piece) {
    for (const std::size_t room : {4, 5, 6, 7, 64}) {
      EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kWindows1252), bytes, piece, room),
                "plain text; été, 5 €, plain again");
      EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kUtf16), pairs, piece, room), "xé€😀\n");
      EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kUtf16, ByteOrder::kBig), swapped, piece, room), "xé€😀\n");
    }
  }
}

TEST(TextDecoder, WhatIsNoLetterIsBad) {
  using std::string_literals::operator""s;
  EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kWindows1252), "a\x81", 9, 64), "a!");
  EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kLatin1), "\xE9\x80", 9, 64), "é!");
  for (const std::string& bad : {"\x00\xDC"s, "\x3D\xD8x\0"s, "\x3D\xD8"s, "x"s})
    EXPECT_EQ(DecodedBy(TextDecoder(TextEncoding::kUtf16), bad, 9, 64), "!") << bad.size();
}

TEST(FoldCase, KnowsTheLettersOfSeveralScripts) {
  EXPECT_EQ(FoldCase("ÉLYSÉE Straße ĄĽŸŽ"), "élysée straße ąľÿž");
  EXPECT_EQ(FoldCase("ΑΘΉΝΑΣ"), FoldCase("αθήνας"));
  EXPECT_EQ(FoldCase("МОСКВА Ѐ Ա ƠƯ Ệ Ə"), "москва ѐ ա ơư ệ ə");
  EXPECT_EQ(FoldCase("日本 ÷ × ǅ"), "日本 ÷ × ǅ");
  EXPECT_EQ(FoldCase("A\xC3"), "a\xC3");  // no UTF-8
}

TEST(FoldCase, NamesThatLookAlikeAreAlikeWithoutAccents) {
  EXPECT_EQ(WithoutAccents("prénom"), WithoutAccents("pre\xCC\x81nom"));
  EXPECT_EQ(WithoutAccents(" Škoda"), "Skoda");
  EXPECT_EQ(WithoutAccents("ßπ"), "ßπ");
}

TEST(WithoutBlanks, BothEndsAreCut) {
  EXPECT_EQ(WithoutBlanks(" \t\xC2\xA0 a b\xC2\xA0 "), "a b");
  EXPECT_EQ(WithoutBlanks("\xC2\xA0"), "");
}

}  // namespace
}  // namespace pentimento::base_test
