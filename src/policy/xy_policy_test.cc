// What goes with guarantees over a join: other guarantees, [[impossible]] and [publish].
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "policy/policy.h"
#include "policy/xy_guarantees_testing.h"

namespace pentimento::joined_policy_test {
namespace {

using namespace xy_testing;  // NOLINT: the words in which these tests are written

std::string WithPair(const std::string& left, const std::string& right) {
  return Written(kShortest + "[[impossible]]\nleft = \"" + left + "\"\nright = \"" + right + "\"\n");
}

TEST(XyGuarantees, MayBeAskedForSeveralTimesAndBesideKAnonymity) {
  const std::string plain = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n";
  const std::string limit = Linkability("[\"job\"]", "[{ column = \"disease\", at_most = \"1/2\" }]");
  const Policy policy = Parsed(Written(kShortest + limit + plain + kShortest + limit));
  ASSERT_EQ(policy.guarantees.size(), 5u);
  EXPECT_TRUE(std::holds_alternative<XyAnonymityPolicy>(policy.guarantees[3]));
  EXPECT_TRUE(std::holds_alternative<XyLinkabilityPolicy>(policy.guarantees[4]));
  ExpectError(Written(plain + kShortest + plain),
              "22:1: k-anonymity is asked for twice; keep the guarantee with the larger k");
}

TEST(XyGuarantees, DoNotGoWithASeries) {
  const std::string series = "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 10\nseries = \"patients\"\n";
  const std::string reason =
      "a release of a series is verified over the releases of that series alone, so incremental-k-anonymity cannot go "
      "with xy-anonymity or xy-linkability; keep one of them, or publish the table as a release outside of the series";
  ExpectError(Written(series + kShortest), "17:1: " + reason);
  ExpectError(Written(kShortest + series), "19:1: " + reason);
  ExpectError(Written(series + Linkability("[\"job\"]", "[{ column = \"disease\", at_most = 1 }]")), "17:1: " + reason);
}

TEST(XyGuarantees, KeysOfPeopleWhoComeAndGoStayForASeries) {
  std::string text = Written(kShortest);
  text.insert(text.find("[columns]"), "repeated = \"latest\"\n");
  ExpectError(text,
              "5:1: [input] repeated speaks of a series, but no guarantee has one; remove it, or ask for type = "
              "\"incremental-k-anonymity\" or \"global-guarantee\"");
}

TEST(XyGuarantees, AKeyOfAnotherGuaranteeLeadsToTheTypeThatFitsBest) {
  ExpectError(Written(Linkability("[\"job\"]", "[\"person\"]", "k = 10")),
              "18:1: 'k' is a key of the guarantee 'xy-anonymity', not of 'xy-linkability'; remove it or write type = "
              "\"xy-anonymity\"");
  ExpectError(Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n" + kAgainst),
              "16:1: 'against' is a key of the guarantee 'xy-anonymity', not of 'k-anonymity'; remove it or write type "
              "= \"xy-anonymity\"");
  ExpectError(Written(kShortest + "series = \"a\""),
              "19:1: 'series' is a key of the guarantee 'incremental-k-anonymity', not of 'xy-anonymity'; remove it or "
              "write type = \"incremental-k-anonymity\"");
  ExpectError(Written(kShortest + "overlaps = []"),
              "19:1: unknown key 'overlaps' in [[guarantee]]; use only type, against, x, y, k, overlap, dangling. "
              "Did you mean 'overlap'?");
}

TEST(XyGuarantees, SetsOfCategoriesDoNotGoWithThem) {
  EXPECT_EQ(Parsed(Written(kShortest + "[publish]\ncategories = \"taxonomy\"")).categories, CategoryForm::kTaxonomy);
  ExpectError(Written(kShortest + "[publish]\ncategories = \"sets\""),
              "20:14: categories = \"sets\" cannot go with xy-anonymity or xy-linkability: releases are joined where "
              "one label of a taxonomy contains the other, and a set is no label; write categories = \"taxonomy\"");
}

TEST(Utility, IsReadAsWritten) {
  const auto utility = [](const std::string& name) {
    return Parsed(Written(kShortest + "[publish]\nutility = \"" + name + "\"")).utility;
  };
  EXPECT_EQ(utility("class"), Utility::kClass);
  EXPECT_EQ(utility("distortion"), Utility::kDistortion);
  EXPECT_EQ(utility("discernibility"), Utility::kDiscernibility);
  ExpectError(
      Written(kShortest + "[publish]\nutility = \"distorsion\""),
      "20:11: [publish] utility cannot be 'distorsion'; write one of class, distortion, discernibility. Did you "
      "mean 'distortion'?");
}

TEST(Utility, NeedsAGuaranteeThatUsesIt) {
  ExpectError(Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n[publish]\nutility = \"class\""),
              "17:1: [publish] utility would have no effect: it serves xy-anonymity, xy-linkability and method = "
              "\"specialize\", and the policy has none of them; remove it or ask for one of them");
}

TEST(Utility, ServesKAnonymityBySpecialization) {
  const std::string start = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n[publish]\nmethod = \"specialize\"\n";
  const Policy policy = Parsed(Written(start + "utility = \"discernibility\""));
  EXPECT_EQ(policy.method, Method::kSpecialize);
  EXPECT_EQ(policy.utility, Utility::kDiscernibility);
  EXPECT_FALSE(Parsed(Written(start)).utility);
  ExpectError(
      Written(start + "categories = \"sets\""),
      "18:14: categories = \"sets\" would have no effect: method = \"specialize\" goes from label to label of a "
      "taxonomy and makes no sets; write categories = \"taxonomy\" or method = \"partition\"");
  ExpectError(Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n[publish]\nmethod = \"recode\"\nutility = "
                      "\"class\""),
              "18:1: [publish] utility would have no effect: it serves xy-anonymity, xy-linkability and method = "
              "\"specialize\", and the policy has none of them; remove it or ask for one of them");
}

TEST(Utility, ForAClassNeedsExactlyOne) {
  const std::string publish = "[publish]\nutility = \"class\"";
  const std::string rest = " columns have it; give it to the one that analysts want to predict";
  ExpectError(Written(kShortest + publish, "tax = { role = \"class\" }\n"),
              "21:11: utility = \"class\" needs one column with the role 'class', but 2" + rest);
  std::string none = Written(kShortest + publish);
  none.replace(none.find("\"class\""), 7, "\"keep\"");
  ExpectError(none, "20:11: utility = \"class\" needs one column with the role 'class', but 0" + rest);
}

TEST(Impossible, PairsAreReadAsWritten) {
  const Policy policy =
      Parsed(Written("[[guarantee]]\ntype = \"xy-anonymity\"\nagainst = [\"a\", \"b\"]\n"
                     "x = [\"age\"]\ny = [\"person\"]\nk = 2\n"
                     "[[impossible]]\nleft = \"sex=Male\"\nright = \"a:status=x=y\"\n"
                     "[[impossible]]\nleft = \"b:c\\u0020=z:z\"\nright = \"a:status=w\"\n"));
  ASSERT_EQ(policy.impossible.size(), 2u);
  ExpectName(policy.impossible[0].left, "", "sex", 8);
  EXPECT_EQ(policy.impossible[0].left_value, "Male");
  ExpectName(policy.impossible[0].right, "a", "status", 9);
  EXPECT_EQ(policy.impossible[0].right_value, "x=y");
  ExpectName(policy.impossible[1].left, "b", "c ", 8);
  EXPECT_EQ(policy.impossible[1].left_value, "z:z");
}

TEST(Impossible, PairsNeedAGuaranteeThatUsesThem) {
  ExpectError(Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n[[impossible]]\nleft = \"a\"\nright = \"b\""),
              "16:3: [[impossible]] would have no effect: it serves xy-anonymity and xy-linkability, and no guarantee "
              "is one of them; remove it or ask for one of them");
}

TEST(Impossible, BothSidesAreAColumnAndAValue) {
  const std::string example =
      "; write [[impossible]] and below it left = \"sex=Male\" and right = \"immigration-2025:status=Pregnant\"";
  const std::string right = "immigration-2025:status=Pregnant";
  ExpectError(Written(kShortest + "[[impossible]]\nleft = \"sex=Male\""),
              "19:1: [[impossible]] has no 'right'; add right = \"COLUMN=VALUE\"");
  ExpectError(Written(kShortest + "[[impossible]]\nleft = 1\nright = 1"),
              "20:8: 'left' of [[impossible]] is a whole number, but must be a text; write for example \"sex=Male\"");
  ExpectError(Written(kShortest + "[[impossible]]\nlef = 1"),
              "20:1: unknown key 'lef' in [[impossible]]; use only left, right. Did you mean 'left'?");
  ExpectError(Written(kShortest + "[impossible]\nleft = \"sex=Male\""),
              "19:1: 'impossible' is a table, but must be a list of tables" + example);
  ExpectError("impossible = []\n" + Written(kShortest),
              "1:14: 'impossible' is an empty list, but must be a list of tables" + example);
  ExpectError("impossible = [1]\n" + Written(kShortest),
              "1:15: [[impossible]] is a whole number, but must be a table" + example);
  ExpectError(WithPair("sex", right),
              "20:8: 'left' of [[impossible]] is not of the form COLUMN=VALUE; write for example \"sex=Male\"");
  ExpectError(WithPair("sex=", right),
              "20:8: 'left' of [[impossible]] has no value after '='; write for example \"sex=Male\"");
  ExpectError(WithPair(right, "sex=*"),
              "21:9: 'right' of [[impossible]] has the value '*', which stands for any value; name one");
}

TEST(Impossible, ColumnsAreThoseThatCanBeJoined) {
  const std::string right = "immigration-2025:status=Pregnant";
  ExpectError(WithPair("sx=Male", right),
              "20:8: 'left' of [[impossible]] names 'sx', which [columns] does not have; write a column of [columns], "
              "or RELEASE:COLUMN for one of an earlier release. Did you mean 'sex'?");
  ExpectError(WithPair("sex=Male", "emigration:status=Pregnant"),
              "21:9: 'right' of [[impossible]] names 'emigration:status', but 'emigration' is no release in 'against', "
              "and [columns] has no column of the whole name; write a column of [columns], or RELEASE:COLUMN with a "
              "release in 'against'.");
  ExpectError(WithPair("person=a", right),
              "20:8: 'left' of [[impossible]] names 'person', but an id is never published, so nobody can look at it "
              "in a release; remove it");
  ExpectError(WithPair("weight=a", right),
              "20:8: 'left' of [[impossible]] names 'weight', but a column with the role 'keep' is passed on as text "
              "that nothing is promised about; remove it, or give the column another role");
}

TEST(Impossible, BothSidesAreOfDifferentReleases) {
  const std::string reason =
      "19:1: left and right of [[impossible]] are columns of one release, but it is a match of two releases that they "
      "rule out; take one of them from another release, as RELEASE:COLUMN=VALUE";
  ExpectError(WithPair("sex=Male", "job=Nun"), reason);
  ExpectError(WithPair("immigration-2025:sex=Male", "immigration-2025:status=Pregnant"), reason);
}

TEST(Impossible, TwoEarlierReleasesMustMeetInOneGuarantee) {
  const auto against = [](const std::string& releases) {
    return "[[guarantee]]\ntype = \"xy-anonymity\"\nagainst = [" + releases +
           "]\nx = [\"age\"]\ny = [\"person\"]\nk = 2\n";
  };
  const std::string pair = "[[impossible]]\nleft = \"a:sex=Male\"\nright = \"b:status=Pregnant\"\n";
  EXPECT_EQ(Parsed(Written(against("\"c\"") + against("\"b\", \"a\"") + pair)).impossible.size(), 1u);
  ExpectError(Written(against("\"a\"") + against("\"b\"") + pair),
              "25:1: [[impossible]] would have no effect: no guarantee is against both 'a' and 'b'; remove it, or name "
              "both releases in one 'against'");
}

TEST(Impossible, APairStandsOnceWhicheverSideIsLeft) {
  const std::string text = WithPair("sex=Male", "immigration-2025:status=Pregnant");
  const std::string again = "22:1: [[impossible]] rules this pair out twice; remove one of the two";
  ExpectError(text + "[[impossible]]\nleft = \"sex=Male\"\nright = \"immigration-2025:status=Pregnant\"", again);
  ExpectError(text + "[[impossible]]\nleft = \"immigration-2025:status=Pregnant\"\nright = \"sex=Male\"", again);
  EXPECT_EQ(Parsed(text + "[[impossible]]\nleft = \"immigration-2025:status=Pregnant\"\nright = \"sex=Unknown\"")
                .impossible.size(),
            2u);
}

}  // namespace
}  // namespace pentimento::joined_policy_test
