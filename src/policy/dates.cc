#include "policy/dates.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/core.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kDatesExample = "two dates, for example domain = [1900-01-01, 2026-12-31]";
constexpr std::string_view kDateFormExample = "for example date = \"%d/%m/%Y\"";

// A date of TOML, or a text that is one. Nothing for what is meant as a number.
std::optional<Day> ReadDay(const Value& value) {
  if (const auto* moment = std::get_if<Moment>(&value.content)) return moment->day;
  if (const auto* text = std::get_if<std::string>(&value.content)) return ParseDay(*text);
  return std::nullopt;
}

}  // namespace

bool HasDates(const Value& domain) {
  const auto* bounds = std::get_if<Array>(&domain.content);
  return bounds != nullptr && std::ranges::any_of(*bounds, [](const Value& bound) {
           return ReadDay(bound) || std::holds_alternative<Moment>(bound.content);
         });
}

Result<DayRange> ReadDates(const Source& source, const Value& value, const std::string& name) {
  const auto& bounds = std::get<Array>(value.content);
  if (bounds.size() != 2) {
    return source.At(value.position,
                     fmt::format("{} is a list of length {}; write {}", name, bounds.size(), kDatesExample));
  }
  DayRange days;
  for (const Value& bound : bounds) {
    const std::optional<Day> day = ReadDay(bound);
    if (!day) {
      return source.At(bound.position, fmt::format("{} has {} as a bound that is no plain date of the years 1 to 9999; "
                                                   "write {}",
                                                   name, KindOf(bound), kDatesExample));
    }
    (&bound == &bounds.front() ? days.first : days.last) = *day;
  }
  if (days.last <= days.first) {
    return source.At(value.position,
                     fmt::format("{} goes from {} to {}; write the earlier date first, and two different ones", name,
                                 WriteDay(days.first), WriteDay(days.last)));
  }
  if (days.last - days.first < kMostDays) return days;
  return source.At(value.position,
                   fmt::format("{} is wider than 400 years; narrow it, and list dates that say that nothing is known, "
                               "such as 9999-12-31, in [input] missing",
                               name));
}

Status ReadDateForm(const Source& source, const TableReader& column, std::optional<DatesPolicy>& dates) {
  const Entry* form = column.Find("date");
  if (form == nullptr) return {};
  const std::string name = "'date' of " + column.name();
  PENTIMENTO_ASSIGN(const Text text, ReadText(source, form->value, name, kDateFormExample));
  Result<DateForm> read = DateForm::Parse(text.text);
  if (!read.ok()) return source.At(text.position, fmt::format("{} {}", name, read.error().message));
  if (!dates)
    return source.At(form->key_position, fmt::format("{} says how dates are written, but the column has no domain of "
                                                     "dates; write {}, or remove it",
                                                     name, kDatesExample));
  dates->form = *std::move(read);
  return {};
}

}  // namespace pentimento::policy_file
