#include "base/date.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace pentimento::date_test {
namespace {

using Fault = DateForm::Fault;

DateForm Form(std::string_view written) { return DateForm::Parse(written).value(); }

std::string Read(const DateForm& form, std::string_view text) {
  const DateForm::Reading reading = form.Read(text);
  return reading.fault == Fault::kNone ? WriteDay(reading.day) : "";
}

TEST(Days, AreCountedFrom1970) {
  EXPECT_EQ(DayOf({1970, 1, 1}), 0);
  EXPECT_EQ(DayOf({1969, 12, 31}), -1);
  EXPECT_EQ(DayOf({2000, 3, 1}), 11'017);
  EXPECT_EQ(DayOf({1, 1, 1}), -719'162);
  EXPECT_EQ(DayOf({9999, 12, 31}), 2'932'896);
}

TEST(Days, OfFebruaryFollowTheLeapYears) {
  for (const int leap : {1904, 2000, 2024, 1600}) {
    EXPECT_TRUE(DayOf({leap, 2, 29})) << leap;
    EXPECT_FALSE(DayOf({leap, 2, 30})) << leap;
  }
  for (const int plain : {1900, 2100, 2023, 1700}) EXPECT_FALSE(DayOf({plain, 2, 29})) << plain;
}

TEST(Days, ThatDoNotExistAreNone) {
  for (const Date date : {Date{2024, 4, 31}, Date{2024, 0, 1}, Date{2024, 13, 1}, Date{2024, 1, 0}, Date{2024, 1, 32},
                          Date{0, 1, 1}, Date{10'000, 1, 1}, Date{2024, 1, -1}})
    EXPECT_FALSE(DayOf(date)) << date.year << ' ' << date.month << ' ' << date.day;
}

TEST(Days, AreWrittenAndReadBack) {
  for (Day day = *DayOf({1899, 1, 1}); day <= *DayOf({1905, 1, 1}); ++day) EXPECT_EQ(ParseDay(WriteDay(day)), day);
  EXPECT_EQ(WriteDay(*DayOf({7, 6, 5})), "0007-06-05");
  for (const std::string_view text :
       {"2024-3-05", "2024-03-5", "2024/03/05", "24-03-05", "2024-03-05 ", "", "2024-02-30", "2024-03", "+024-03-05"})
    EXPECT_FALSE(ParseDay(text)) << text;
}

TEST(DateForms, ReadWhatTheyName) {
  EXPECT_EQ(Read(DateForm(), "2024-03-05"), "2024-03-05");
  EXPECT_EQ(Read(Form("%d/%m/%Y"), "05/03/2024"), "2024-03-05");
  EXPECT_EQ(Read(Form("%d/%m/%Y"), "5/3/2024"), "2024-03-05");
  EXPECT_EQ(Read(Form("%m/%d/%Y"), "05/03/2024"), "2024-05-03");
  EXPECT_EQ(Read(Form("%d.%m.%Y"), "29.02.2024"), "2024-02-29");
  EXPECT_EQ(Read(Form("%Y%m%d"), "19000101"), "1900-01-01");
  EXPECT_EQ(Read(Form("%d %m %Y"), "1 12 1899"), "1899-12-01");
}

TEST(DateForms, PassOverATimeOfTheDay) {
  for (const std::string_view text : {"2024-03-05 00:00:00", "2024-03-05T23:59", "2024-03-05 07:30:00.125Z",
                                      "2024-03-05T07:30:00+00:00", "2024-03-05 07:30:00 UTC"})
    EXPECT_EQ(Read(DateForm(), text), "2024-03-05") << text;
  EXPECT_EQ(DateForm().Read("2024-03-05T00:30:00+02:00").fault, Fault::kTimeZone);
  for (const std::string_view text : {"2024-03-05 25:00", "2024-03-05 07", "2024-03-05x", "2024-03-05 07:30 Wien"})
    EXPECT_EQ(DateForm().Read(text).fault, Fault::kNoDate) << text;
}

TEST(DateForms, TellWhatIsWrongWithAText) {
  const DateForm day_first = Form("%d/%m/%Y");
  const std::vector<std::tuple<std::string_view, Fault, Fault>> texts = {
      // ISO, day first
      {"30/02/2024", Fault::kNoDate, Fault::kNoSuchDay},  {"29/02/2023", Fault::kNoDate, Fault::kNoSuchDay},
      {"2023-02-29", Fault::kNoSuchDay, Fault::kNoDate},  {"03/25/2024", Fault::kOtherForm, Fault::kOtherForm},
      {"2024-03-05", Fault::kNone, Fault::kOtherForm},    {"05.03.2024", Fault::kOtherForm, Fault::kOtherForm},
      {"20240305", Fault::kOtherForm, Fault::kOtherForm}, {"05/03/24", Fault::kShortYear, Fault::kShortYear},
      {"24-03-05", Fault::kShortYear, Fault::kShortYear}, {"yesterday", Fault::kNoDate, Fault::kNoDate},
      {"2024", Fault::kNoDate, Fault::kNoDate},           {"", Fault::kNoDate, Fault::kNoDate},
  };
  for (const auto& [text, iso, own] : texts) {
    EXPECT_EQ(DateForm().Read(text).fault, iso) << text;
    EXPECT_EQ(day_first.Read(text).fault, own) << text;
  }
}

TEST(DateForms, ThatDoNotTellTheDayAreRefused) {
  for (const std::string_view written : {"%d/%m/%y", "%d/%m", "%Y", "%d/%b/%Y", "%d/%d/%Y", "dd/mm/yyyy", "", "%",
                                         "%d/%m/%Y %H", "%d/%m/2024", "%d/%m/20%Y", "%%%d%m%Y"})
    EXPECT_FALSE(DateForm::Parse(written).ok()) << written;
  EXPECT_NE(DateForm::Parse("%d/%m/%y").error().message.find("century"), std::string::npos);
  EXPECT_NE(DateForm::Parse("%d/%m").error().message.find("lacks %Y"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::date_test
