#include "files/text_form.h"

#include <gtest/gtest.h>

#include <string>

namespace pentimento::text_form_test {
namespace {

using std::string_literals::operator""s;

TEST(TextForm, ASeparatorIsFoundOutWhereNoOtherCouldBeIt) {
  const struct {
    const char* text;
    char separator;
  } cases[] = {{"a,b\n1,2\n", ','},
               {"a;b\n1;2\n", ';'},
               {"a\tb\n1\t2\n", '\t'},
               {"a|b\r\n1|2\r\n", '|'},
               {"a;b", ';'},
               {"a\n1\n", ','},
               {"a;b\n1\n2\n", ','},              // one column, with a name
               {"a;b\n1,5;2,5\n3,5;4,5\n", ';'},  // decimal commas
               {"a,b;c\n1,2\n3,4\n", ','},
               {"\"a,b\";c\n\"1,2\";3\n", ';'},
               {"a;b,c;d\n1;2;3\n\"4;\n;\";5;6\n", ';'},
               {"sep=;\na,b;c\n", ';'},
               {"\"sep=|\"\r\na\n", '|'}};
  for (const auto& test : cases) {
    const Result<TextForm> form = DetectTextForm(test.text, {});
    ASSERT_TRUE(form.ok()) << test.text;
    EXPECT_EQ(form->separator, test.separator) << test.text;
  }
}

TEST(TextForm, WhatIsNotCertainIsAnErrorThatNamesTheKey) {
  const struct {
    std::string text;
    TextSetting setting;
    const char* says;
  } cases[] = {{"a,b;c\n1,2;3\n", {}, "separator = \",\""},
               {"a,b;c\n", {}, "separator = \",\""},
               {"sep=;\na\n", {',', {}}, "correct one of the two"},
               {"sep=:\na\n", {}, "none of ',', ';', tab and '|'"},
               {"a\0,\0b\0\n\0"s, {}, "encoding = \"utf-16\""},
               {"\0a\0,\0b\0\n"s, {}, "encoding = \"utf-16\""},
               {"\xEF\xBB\xBF"
                "a\n",
                {{}, TextEncoding::kLatin1},
                "encoding = \"utf-8\""},
               {"\xFF\xFE"
                "a\0"s,
                {{}, TextEncoding::kUtf8},
                "encoding = \"utf-16\""},
               {"PK\x03\x04....xl/workbook.xml", {}, "Excel workbook"},
               {"%PDF-1.4", {}, "PDF"}};
  for (const auto& test : cases) {
    const Result<TextForm> form = DetectTextForm(test.text, test.setting);
    ASSERT_FALSE(form.ok()) << test.text;
    EXPECT_NE(form.error().message.find(test.says), std::string::npos) << form.error().message;
  }
}

TEST(TextForm, ThatUtf8IsReadAsSomethingElseIsTold) {
  const TextSetting setting{{}, TextEncoding::kWindows1252};
  EXPECT_TRUE(DetectTextForm("a,b\n\xC3\xA9,\xC3\xA9\n", setting)->looks_like_utf8);
  EXPECT_FALSE(DetectTextForm("a,b\n\xC3\xA9,\xE9\n", setting)->looks_like_utf8);
  EXPECT_FALSE(DetectTextForm("a,b\nx,y\n", setting)->looks_like_utf8);
}

TEST(TextForm, WhatTheUserSaysIsNotLookedFor) {
  const Result<TextForm> form = DetectTextForm("a,b;c\n1,2;3\n", {';', TextEncoding::kWindows1252});
  ASSERT_TRUE(form.ok());
  EXPECT_EQ((CsvForm{*form, Compression::kNone}.InWords()), "';'-separated, windows-1252");
}

}  // namespace
}  // namespace pentimento::text_form_test
