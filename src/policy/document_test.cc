#include "policy/document.h"

#include <gtest/gtest.h>

#include <string>

namespace pentimento::policy_file::document_test {
namespace {

using namespace std::string_literals;  // NOLINT: texts with a NUL inside

std::string ErrorOf(std::string_view text) {
  const Result<Value> document = ParseDocument(text, Source("p.toml"));
  return document.ok() ? "accepted" : document.error().message;
}

void ExpectError(std::string_view text, const std::string& beginning, const std::string& hint) {
  const std::string message = ErrorOf(text);
  EXPECT_EQ(message.substr(0, 7 + beginning.size()), "p.toml:" + beginning) << message;
  EXPECT_TRUE(message.ends_with("; " + hint)) << message;
}

TEST(Document, SyntaxErrorsCarryTheirPlaceAndEndWithAHint) {
  ExpectError("a = 1\nb = x", "2:5: this is not TOML: ", "put quotes around a text, and write numbers plainly");
  ExpectError("a = 1\na = 2", "2:5: this is not TOML: key-value pair: cannot redefine",
              "keep one of the two and remove the other");
  ExpectError("[a]\n[a]", "2:1: this is not TOML: table header: cannot redefine",
              "keep one of the two and remove the other");
  ExpectError("a = [1, 2\nb = 3",
              "2:1: this is not TOML: array: ", "close the list with ] and put commas between its entries");
  ExpectError("a = { b = 1\n}",
              "1:12: this is not TOML: inline table: ", "keep { ... } on one line, with commas between its entries");
  ExpectError("[a\nb = 1", "1:3: this is not TOML: table header: ", "write [name] or [[name]] alone on a line");
  ExpectError("a = \"x", "1:7: this is not TOML: string: ",
              "end the text with the same quote it begins with, and double a backslash");
  ExpectError("a = \"\\x\"",
              "1:7: this is not TOML: ", "end the text with the same quote it begins with, and double a backslash");
  ExpectError("a = 99999999999999999999", "1:25: this is not TOML: ", "write a number of at most 18 digits");
  ExpectError("a", "1:2: this is not TOML: ", "write one 'key = value' on each line");
}

TEST(Document, DeepNestingIsAnErrorAndNoCrash) {
  const std::string message = ErrorOf("a = " + std::string(100000, '['));
  EXPECT_NE(message.find("this is not TOML: "), std::string::npos) << message;
}

TEST(Document, BytesThatAreNotUtf8AreRefusedWhereTheyStand) {
  ExpectError("\xFFx", "1:1: this byte is not UTF-8", "save the file as UTF-8");
  ExpectError("a = 1\nb = \"é\xFF\"", "2:7: this byte is not UTF-8", "save the file as UTF-8");
  ExpectError("# caf\xE9\n", "1:6: this byte is not UTF-8", "save the file as UTF-8");
  for (const std::string_view bad : {"\x80", "\xC0\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                                     "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x28\xA1"}) {
    ExpectError("# " + std::string(bad), "1:3: this byte is not UTF-8", "save the file as UTF-8");
  }
  for (const std::string_view good :
       {"\x7E", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(ErrorOf("# " + std::string(good)), "accepted");
  }
}

// The library asks whether such characters are blanks, and its answer is undefined.
TEST(Document, CharactersOutsideOfQuotesAreAsciiOrRefusedWhereTheyStand) {
  const std::string kHint = "put quotes around the name or text, and write it on one line";
  for (const std::string_view bare : {"é", "\u0661", "\u00B2", "\u1680", "\u2000", "\u3000", "\U0001F600"}) {
    const std::string c(bare);
    ExpectError(c + " = 1", "1:1: this is not TOML: ", kHint);
    ExpectError("a = 1\n[ü" + c + "]", "2:2: this is not TOML: ", kHint);
    ExpectError("# é\na = \"é\"\nb = " + c, "3:5: this is not TOML: ", kHint);
    ExpectError("a = x\"" + c + "\"", "1:7: this is not TOML: ", kHint);
    ExpectError("a = \"\"\"x \\\n  " + c + "\"\"\"", "2:3: this is not TOML: ", kHint);
  }
}

TEST(Document, AnyCharacterMayStandInQuotesAndComments) {
  for (const std::string_view good :
       {"# é", "a = 1 # é", "\"é\" = 1", "'é' = 1", "[x.\"é\"]", "a = \"é\\\"é\"", "a = 'é\\' # é", "a = [\"é\", 'é']",
        "a = {\"é\" = 'é'}", "a = \"\"\"é\n\"é\"\\\\é\"\"\"", "a = \"\"\"é\"\"\"\"\"", "a = '''é\n\"é'''",
        "a = \"\"\"é\"\"\"\nb = \"é\""}) {
    EXPECT_EQ(ErrorOf(std::string(good)), "accepted") << good;
  }
}

TEST(Document, Utf16IsNamedAsSuch) {
  ExpectError("\xFF\xFEv\0"s, "1:1: the file is UTF-16", "save it as UTF-8");
  ExpectError("\xFE\xFF\0v"s, "1:1: the file is UTF-16", "save it as UTF-8");
}

TEST(Document, AByteOrderMarkIsSkippedAndMovesNoColumn) {
  const Result<Value> document = ParseDocument("\xEF\xBB\xBFkey = 0.25", Source("p.toml"));
  ASSERT_TRUE(document.ok());
  const Table& table = std::get<Table>(document->content);
  EXPECT_EQ(table.at(0).key_position.column, 1u);
  EXPECT_EQ(ToString(*std::get<Fractional>(table.at(0).value.content).exact), "0.25");
}

TEST(Document, AZeroByteDoesNotHideTheRest) {
  EXPECT_NE(ErrorOf("a = 1\n\0b = 2"s), "accepted");
  EXPECT_NE(ErrorOf("a = 1 # c\0\nb = 2"s), "accepted");
}

TEST(Document, ControlCharactersOfAKeyDoNotReachTheTerminal) {
  const Result<Policy> policy = ParsePolicy("version = 1\n\"a\\n\\u001b[31m\\u0000\" = 1", "p.toml");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().message.substr(0, 50), "p.toml:2:1: unknown key 'a\\u000a\\u001b[31m\\u0000' ");
}

TEST(Document, WindowsLineEndsAreLineEnds) {
  const Result<Value> document = ParseDocument("a = 1\r\nb = 0.5\r\n", Source("p.toml"));
  ASSERT_TRUE(document.ok());
  const Table& table = std::get<Table>(document->content);
  EXPECT_EQ(table.at(1).key_position.line, 2u);
  EXPECT_EQ(ToString(*std::get<Fractional>(table.at(1).value.content).exact), "0.5");
}

TEST(Document, EveryKindOfValueHasAName) {
  const Result<Value> document =
      ParseDocument("a=true\nb=1\nc=1.5\nd='x'\ne=2026-01-01\nf=[]\ng={}\nh=07:32:00", Source("p.toml"));
  ASSERT_TRUE(document.ok());
  const Table& table = std::get<Table>(document->content);
  const std::vector<std::string_view> kinds = {"a boolean", "a whole number", "a decimal number",
                                               "a text",    "a date or time", "a list",
                                               "a table",   "a date or time"};
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(KindOf(table.at(i).value), kinds[i]);
}

TEST(Document, AnEmptyFileOrOneOfCommentsIsAnEmptyPolicy) {
  for (const std::string_view text : {"", "\n\n", "# nothing\n", "\xEF\xBB\xBF"}) {
    const Result<Policy> policy = ParsePolicy(text, "p.toml");
    ASSERT_FALSE(policy.ok());
    EXPECT_EQ(policy.error().message, "p.toml:1:1: the policy is empty; begin with version = 1 and a release name");
  }
}

}  // namespace
}  // namespace pentimento::policy_file::document_test
