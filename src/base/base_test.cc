#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "base/decimal.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/ratio.h"
#include "base/suggest.h"

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

}  // namespace
}  // namespace pentimento::base_test
