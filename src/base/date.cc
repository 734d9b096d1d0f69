#include "base/date.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "fmt/core.h"

namespace pentimento {
namespace {

namespace chrono = std::chrono;

bool IsDigitOfDate(char c) { return c >= '0' && c <= '9'; }

// Takes up to `most` digits away from the front of `text`; nothing where there are fewer than `fewest`.
std::optional<int> TakeNumber(std::string_view& text, std::size_t fewest, std::size_t most) {
  std::size_t count = 0;
  int number = 0;
  while (count < most && count < text.size() && IsDigitOfDate(text[count]))
    number = number * 10 + (text[count++] - '0');
  if (count < fewest) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// What may follow a day: nothing, or a time. Nothing for anything else.
std::optional<DateForm::Fault> FaultOfTime(std::string_view rest) {
  if (rest.empty()) return DateForm::Fault::kNone;
  if (!Take(rest, ' ') && !Take(rest, 'T')) return std::nullopt;
  const auto in_range = [&](int most) {
    const std::optional<int> number = TakeNumber(rest, 2, 2);
    return number && *number <= most;
  };
  if (!in_range(24) || !Take(rest, ':') || !in_range(59)) return std::nullopt;
  if (Take(rest, ':')) {
    if (!in_range(60)) return std::nullopt;
    if (Take(rest, '.') && !TakeNumber(rest, 1, 9)) return std::nullopt;
  }
  Take(rest, ' ');
  if (rest.empty() || rest == "Z" || rest == "UTC" || rest == "+00:00" || rest == "+00") return DateForm::Fault::kNone;
  const bool is_offset = rest.front() == '+' || rest.front() == '-';
  return is_offset ? std::optional(DateForm::Fault::kTimeZone) : std::nullopt;
}

// Forms that people use, to tell another form from what is no date.
constexpr std::array<std::string_view, 10> kUsualForms = {"%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%m.%d.%Y",
                                                          "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"};

}  // namespace

std::optional<Day> DayOf(Date date) {
  if (date.year < 1 || date.year > 9999 || date.month < 1 || date.day < 1) return std::nullopt;
  const chrono::year_month_day parts{chrono::year(date.year), chrono::month(static_cast<unsigned>(date.month)),
                                     chrono::day(static_cast<unsigned>(date.day))};
  if (!parts.ok()) return std::nullopt;
  return static_cast<Day>(chrono::sys_days(parts).time_since_epoch().count());
}

Date DateOf(Day day) {
  const chrono::year_month_day parts{chrono::sys_days(chrono::days(day))};
  return {static_cast<int>(parts.year()), static_cast<int>(static_cast<unsigned>(parts.month())),
          static_cast<int>(static_cast<unsigned>(parts.day()))};
}

std::string WriteDay(Day day) {
  const Date date = DateOf(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::optional<Day> ParseDay(std::string_view text) {
  const auto number = [&](std::size_t begin, std::size_t count) {
    std::string_view digits = text.substr(begin, count);
    return TakeNumber(digits, count, count);
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
  return year && month && day ? DayOf({*year, *month, *day}) : std::nullopt;
}

DateForm::DateForm() : written_(kUsualForms[0]) {}

Result<DateForm> DateForm::Parse(std::string_view written) {
  constexpr std::string_view kKnown = "what is known is %Y, %m and %d, each once, for example \"%d/%m/%Y\"";
  const auto refuse = [](const std::string& why) { return Error{ErrorCode::kBadPolicy, why}; };
  std::string parts;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (IsDigitOfDate(written[i])) return refuse(fmt::format("has digits of its own; {}", kKnown));
    if (written[i] != '%') continue;
    const char part = ++i < written.size() ? written[i] : '%';
    if (part == 'y')
      return refuse(
          "has %y, a year of two digits, which does not tell the century; write the years of the table in "
          "full, and %Y");
    if (part != 'Y' && part != 'm' && part != 'd')
      return refuse(fmt::format("has a part of another kind than %Y, %m and %d; {}", kKnown));
    if (parts.find(part) != parts.npos) return refuse(fmt::format("has %{} twice; {}", part, kKnown));
    parts += part;
  }
  for (const char part : {'Y', 'm', 'd'}) {
    if (parts.find(part) == parts.npos)
      return refuse(fmt::format("lacks %{}, so its texts do not tell the day; {}", part, kKnown));
  }
  DateForm form;
  form.written_ = written;
  return form;
}

std::optional<DateForm::Match> DateForm::MatchDate(std::string_view text) const {
  Match match;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    if (written_[i] != '%') {
      if (!Take(text, written_[i])) return std::nullopt;
      continue;
    }
    const char part = written_[++i];
    const bool digits_follow = i + 1 < written_.size() && written_[i + 1] == '%';
    const auto year = static_cast<std::size_t>(digits_of_year_);
    const std::optional<int> number =
        part == 'Y' ? TakeNumber(text, year, year) : TakeNumber(text, digits_follow ? 2 : 1, 2);
    if (!number) return std::nullopt;
    (part == 'Y' ? match.date.year : part == 'm' ? match.date.month : match.date.day) = *number;
  }
  match.rest = text;
  return match;
}

DateForm::Reading DateForm::Read(std::string_view text) const {
  const std::optional<Match> match = MatchDate(text);
  const std::optional<Fault> time = match ? FaultOfTime(match->rest) : std::nullopt;
  if (!time) return {ExplainMismatch(text)};
  const std::optional<Day> day = DayOf(match->date);
  if (day) return {*time, *day};
  const Fault otherwise = ExplainMismatch(text);
  return {otherwise == Fault::kOtherForm ? otherwise : Fault::kNoSuchDay};
}

DateForm::Fault DateForm::ExplainMismatch(std::string_view text) const {
  Fault fault = Fault::kNoDate;
  for (const std::string_view usual : kUsualForms) {
    if (usual == written_) continue;
    DateForm form;
    form.written_ = usual;
    const std::optional<Match> match = form.MatchDate(text);
    if (match && FaultOfTime(match->rest) && DayOf(match->date)) return Fault::kOtherForm;
    form.digits_of_year_ = 2;
    const std::optional<Match> short_match = form.MatchDate(text);
    if (short_match && usual != "%Y%m%d" && FaultOfTime(short_match->rest)) fault = Fault::kShortYear;
  }
  DateForm own = *this;
  own.digits_of_year_ = 2;
  const std::optional<Match> short_match = own.MatchDate(text);
  return short_match && FaultOfTime(short_match->rest) ? Fault::kShortYear : fault;
}

}  // namespace pentimento
