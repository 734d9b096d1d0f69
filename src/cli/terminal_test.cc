#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace pentimento {
namespace terminal_test {

// How many columns a line takes: every character is one column wide.
std::size_t Width(const std::string& line) {
  std::size_t width = 0;
  for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

TEST(ProgressLine, IsNeverAsWideAsTheTerminal) {
  for (std::size_t columns = 1; columns < 100; ++columns) {
    for (const bool has_blocks : {false, true}) {
      for (const double fraction : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
        const std::string line =
            ProgressLine({.has_blocks = has_blocks, .columns = columns}, "publishing anew", fraction);
        EXPECT_LT(Width(line), columns) << line;
      }
    }
  }
}

TEST(ProgressLine, HasTheBarThatThereIsRoomFor) {
  EXPECT_EQ(ProgressLine({.columns = 80}, "reading", 0.5), "reading ███████████████░░░░░░░░░░░░░░░  50 %");
  EXPECT_EQ(ProgressLine({.columns = 22}, "reading", 0.5), "reading ███░░░░  50 %");
  EXPECT_EQ(ProgressLine({.columns = 19}, "reading", 0.5), "reading  50 %");
  EXPECT_EQ(ProgressLine({.columns = 10}, "reading", 0.5), "reading");
  EXPECT_EQ(ProgressLine({.columns = 5}, "reading", 0.5), "read");
}

TEST(ProgressLine, SpeaksAsciiWhereTheLocaleDoes) {
  EXPECT_EQ(ProgressLine({.has_blocks = false, .columns = 22}, "reading", 1), "reading ####### 100 %");
  EXPECT_EQ(ProgressLine({.has_blocks = false, .columns = 22}, "reading", -1), "reading ...");
}

class LocaleTest : public testing::Test {
 protected:
  void SetUp() override { SetAll(nullptr, nullptr, nullptr); }
  void TearDown() override { SetAll(nullptr, nullptr, "C.UTF-8"); }
  static void SetAll(const char* all, const char* characters, const char* language) {
    Set("LC_ALL", all);
    Set("LC_CTYPE", characters);
    Set("LANG", language);
  }

 private:
  static void Set(const char* name, const char* value) {
    if (value == nullptr)
      unsetenv(name);
    else
      setenv(name, value, 1);
  }
};

TEST_F(LocaleTest, TheFirstThatIsSetDecides) {
  EXPECT_FALSE(LocaleIsUtf8());
  SetAll(nullptr, nullptr, "de_DE.UTF-8");
  EXPECT_TRUE(LocaleIsUtf8());
  SetAll("C", nullptr, "de_DE.UTF-8");
  EXPECT_FALSE(LocaleIsUtf8());
  SetAll("", "en_GB.utf8", "C");
  EXPECT_TRUE(LocaleIsUtf8());
}

}  // namespace terminal_test
}  // namespace pentimento
