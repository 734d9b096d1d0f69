// Days as numbers, and how tables write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pentimento {

// Days since 1970-01-01 in the Gregorian calendar, also for years before it was in use.
using Day = std::int32_t;

struct Date {
  int year = 1970;  // from 1 to 9999
  int month = 1;
  int day = 1;
};

// Nothing where there is no such day, as the 30th of February.
std::optional<Day> DayOf(Date date);
Date DateOf(Day day);

// The days of a domain; both ends are included.
struct DayRange {
  Day first = 0;
  Day last = 0;
  bool Contains(Day day) const { return first <= day && day <= last; }
  friend bool operator==(DayRange, DayRange) = default;
};

// 400 years: a table about people needs no more, and a wider one holds a mark of what is not known.
inline constexpr Day kMostDays = 146'097;

// "2024-03-05", and nothing else.
std::string WriteDay(Day day);
std::optional<Day> ParseDay(std::string_view text);

// How a column writes its days, such as "%d/%m/%Y": each of %Y (four digits), %m and %d once, and between them anything
// but digits and '%'.
class DateForm {
 public:
  DateForm();  // "%Y-%m-%d", as ISO 8601 has it
  // kBadPolicy; the message says what is wrong with the form, ready to follow its name.
  static Result<DateForm> Parse(std::string_view written);

  const std::string& written() const { return written_; }
  friend bool operator==(const DateForm& a, const DateForm& b) { return a.written_ == b.written_; }

  enum class Fault {
    kNone,
    kNoDate,     // nothing that looks like one
    kOtherForm,  // a date, but not of this form
    kShortYear,  // its year has two digits
    kNoSuchDay,  // of this form, but the calendar does not have it
    kTimeZone,   // a time in another zone than UTC follows, so the day is not known
  };
  struct Reading {
    Fault fault = Fault::kNone;
    Day day = 0;  // where there is no fault
  };
  // A day with one digit or two for %d and %m, but two where digits follow at once. A time of the day that follows
  // after a blank or a 'T' is passed over; with a Z behind it, the day is that in UTC.
  Reading Read(std::string_view text) const;

 private:
  struct Match {
    Date date;
    std::string_view rest;  // behind the date
  };
  // Digits where digits belong, whatever the calendar says.
  std::optional<Match> MatchDate(std::string_view text) const;
  Fault ExplainMismatch(std::string_view text) const;

  std::string written_;
  int digits_of_year_ = 4;  // 2 in forms that are only there to be recognized
};

}  // namespace pentimento
