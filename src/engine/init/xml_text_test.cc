#include "engine/init/xml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace pentimento::xml_text_test {
namespace {

TEST(XmlText, ElementsHaveTextsAndChildren) {
  const auto root =
      ReadXml("<?xml version=\"1.0\"?>\n<!-- <x> --><a b=\">\"> <c> one </c><c/><d>t<!-- n -->wo</d></a>\n");
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(root->name, "a");
  EXPECT_EQ(root->children.size(), 3U);
  EXPECT_EQ(root->TextOf("c"), "one");
  EXPECT_EQ(root->TextOf("d"), "two");
  EXPECT_EQ(root->TextOf("e"), "");
  EXPECT_EQ(root->Find("e"), nullptr);
}

TEST(XmlText, EntitiesAreTheirLetters) {
  const auto root = ReadXml("<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x20AC;<![CDATA[<&>]]></a>");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->text, "<&>\"'A\xE2\x82\xAC<&>");
}

TEST(XmlText, WhatIsNoXmlIsRefused) {
  for (const char* text :
       {"", "a", "<a>", "<a></b>", "</a>", "<a><b></a></b>", "<a/><b/>", "<a>&x;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
        "<a>& b</a>", "<a>\xFF</a>", "<a", "<a b='>", "<>", "<a><![CDATA[x</a>", "<!-- <a/>", "<!DOCTYPE a><a/>"})
    EXPECT_FALSE(ReadXml(text).ok()) << text;
}

TEST(XmlText, ElementsDoNotStandAsDeepAsAStrangerLikes) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<a>";
  EXPECT_FALSE(ReadXml(text).ok());
}

}  // namespace
}  // namespace pentimento::xml_text_test
