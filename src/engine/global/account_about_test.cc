#include "engine/global/account_about.h"

#include <gtest/gtest.h>

namespace pentimento::account_about_test {
namespace {

AccountAbout Clinic() {
  AccountAbout about;
  about.series = "clinic";
  about.releases = {{"q1", "00ff", 100, {3, 0, 1}}, {"q2", "01ab", 90, {2, 5, 1, 7}}};
  about.items = {{"disease", {"HIV"}, false, false, 2},
                 {"disease", {"HIV", "Syphilis"}, false, true, 4},
                 {"ward", {}, true, false, 3},
                 {"ward", {"caf\xe9 \"a\""}, false, false, 1'000'000}};
  about.every_value = {"ward"};
  about.missing = {"", "NA"};
  return about;
}

void ExpectEqual(const AccountAbout& read, const AccountAbout& written) {
  EXPECT_EQ(read.series, written.series);
  EXPECT_EQ(read.every_value, written.every_value);
  EXPECT_EQ(read.missing, written.missing);
  ASSERT_EQ(read.items.size(), written.items.size());
  for (std::size_t item = 0; item < read.items.size(); ++item) {
    EXPECT_TRUE(read.items[item].Matches(written.items[item])) << item;
    EXPECT_EQ(read.items[item].l, written.items[item].l) << item;
  }
  ASSERT_EQ(read.releases.size(), written.releases.size());
  for (std::size_t release = 0; release < read.releases.size(); ++release) {
    EXPECT_EQ(read.releases[release].name, written.releases[release].name);
    EXPECT_EQ(read.releases[release].input, written.releases[release].input);
    EXPECT_EQ(read.releases[release].rows, written.releases[release].rows);
    EXPECT_EQ(read.releases[release].holders, written.releases[release].holders);
  }
}

std::string With(std::string_view part, std::string_view instead) {
  std::string text = AccountAboutText(Clinic());
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part << " in " << text;
  return text.replace(at, part.size(), instead);
}

TEST(AccountAbout, WhatWasWrittenIsReadAgainAlsoWhereItIsNoUtf8) {
  const auto read = ParseAccountAbout(AccountAboutText(Clinic()));
  ASSERT_TRUE(read);
  ExpectEqual(*read, Clinic());
  const auto empty = ParseAccountAbout(AccountAboutText({}));
  ASSERT_TRUE(empty);
  ExpectEqual(*empty, {});
}

TEST(AccountAbout, ItIsWrittenAsThePageOnTheFormatSays) {
  AccountAbout about;
  about.series = "clinic";
  about.releases = {{"q1", "00ff", 100, {3, 1}}};
  about.items = {{"disease", {"HIV", "caf\xe9"}, false, true, 4}, {"ward", {}, true, false, 2}};
  about.every_value = {"ward"};
  about.missing = {"", "NA"};
  EXPECT_EQ(AccountAboutText(about),
            R"({"version":1,"series":"clinic","releases":[{"name":"q1","input":"00ff","rows":100,"holders":[3,1]}],)"
            R"("items":[{"column":"disease","values":["HIV",[99,97,102,233]],"l":4,"set":true},)"
            R"({"column":"ward","values":[],"l":2,"missing":true}],"every_value":["ward"],"missing":["","NA"]})");
}

TEST(AccountAbout, AnAccountThatDoesNotSayWhatIsMissingIsStillRead) {
  const auto read = ParseAccountAbout(With(R"(,"missing":["","NA"])", ""));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->missing.empty());
}

TEST(AccountAbout, ThingsAreTheSameWhateverWasPromisedOfThem) {
  const AccountItem hiv{"disease", {"HIV"}, false, false, 2};
  EXPECT_TRUE(hiv.Matches({"disease", {"HIV"}, false, false, 9}));
  EXPECT_FALSE(hiv.Matches({"ward", {"HIV"}, false, false, 2}));
  EXPECT_FALSE(hiv.Matches({"disease", {"flu"}, false, false, 2}));
  EXPECT_FALSE(hiv.Matches({"disease", {"HIV"}, false, true, 2}));
  EXPECT_FALSE(AccountItem({"disease", {}, true, false, 2}).Matches({"disease", {}, false, false, 2}));
}

TEST(AccountAbout, ANewerVersionIsNotDamage) {
  EXPECT_TRUE(IsNewerAccountAbout(With("\"version\":1", "\"version\":2")));
  EXPECT_FALSE(IsNewerAccountAbout(AccountAboutText(Clinic())));
  for (const std::string text : {"", "7", "[2]", "{}", "{\"version\":\"2\"}", "{\"version\":2"})
    EXPECT_FALSE(IsNewerAccountAbout(text)) << text;
}

TEST(AccountAbout, DamageIsFound) {
  const std::string whole = AccountAboutText(Clinic());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(ParseAccountAbout(std::string_view(whole).substr(0, length))) << length;
  EXPECT_FALSE(ParseAccountAbout(whole + "}"));
  EXPECT_FALSE(ParseAccountAbout("[]"));
  EXPECT_FALSE(ParseAccountAbout(With("\"version\":1", "\"version\":2")));
  EXPECT_FALSE(ParseAccountAbout(With("\"series\":\"clinic\"", "\"series\":7")));
  EXPECT_FALSE(ParseAccountAbout(With("\"rows\":100", "\"rows\":\"100\"")));
  // A library that converts these to whole numbers does what nobody has defined.
  for (const std::string number : {"1e300", "-1", "100.0", "18446744073709551616", "null"}) {
    EXPECT_FALSE(ParseAccountAbout(With("\"rows\":100", "\"rows\":" + number))) << number;
    EXPECT_FALSE(ParseAccountAbout(With("[2,5,1,7]", "[2,5,1," + number + "]"))) << number;
    EXPECT_FALSE(ParseAccountAbout(With("\"version\":1", "\"version\":" + number))) << number;
  }
  EXPECT_FALSE(ParseAccountAbout(std::string(1000000, '[') + std::string(1000000, ']')));
  EXPECT_FALSE(ParseAccountAbout(With("\"l\":2", "\"l\":1")));
  EXPECT_FALSE(ParseAccountAbout(With("\"l\":2", "\"l\":4294967297")));
  EXPECT_FALSE(ParseAccountAbout(With("[\"HIV\"]", "[]")));
  EXPECT_FALSE(ParseAccountAbout(With("[2,5,1,7]", "[2,5,1,7,1]")));
  EXPECT_FALSE(ParseAccountAbout(With(R"(["","NA"])", "7")));
}

}  // namespace
}  // namespace pentimento::account_about_test
