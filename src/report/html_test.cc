#include "report/html.h"

#include <gtest/gtest.h>

namespace pentimento {
namespace html_test {

TEST(Html, MarkUpIsText) {
  EXPECT_EQ(EscapedHtml("<script>alert(\"a\" & 'b')</script>"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

TEST(Html, ControlsAndTurnsOfDirectionAreShown) {
  EXPECT_EQ(EscapedHtml(std::string_view("a\0b\n\x7f", 5)), "a\\x00b\\x0a\\x7f");
  EXPECT_EQ(EscapedHtml("a\u202Eb\u200Bc\u0085"), "a\\u{202e}b\\u{200b}c\\x85");
}

TEST(Html, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(EscapedHtml("a\xff<"), "a\\xff&lt;");
  EXPECT_EQ(EscapedHtml("\xe2\x82"), "\\xe2\\x82");
}

TEST(Html, LettersOfAllScriptsStay) { EXPECT_EQ(EscapedHtml("é שלום 漢字 🙂"), "é שלום 漢字 🙂"); }

TEST(Html, LongNamesAreCutBetweenLetters) {
  EXPECT_EQ(ShortName("abcdef", 6), "abcdef");
  EXPECT_EQ(ShortName("abcdefg", 6), "abcdef…");
  EXPECT_EQ(ShortName("漢字漢字", 5), "漢字…");
  EXPECT_EQ(ShortName("ééé", 2), "éé…");
  EXPECT_EQ(ShortName("\xff\xff\xff", 2), "\xff\xff…");
}

TEST(Html, TablesEscapeTheirHead) {
  const std::string html = TableHtml({"t", "c", {"<a>"}, {{NameCell("<b>"), CountCell(12345)}}});
  EXPECT_NE(html.find("&lt;a&gt;"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\"><bdi>&lt;b&gt;</bdi></th><td class=\"n\">12,345</td>"), std::string::npos);
}

}  // namespace html_test
}  // namespace pentimento
