#include "io/date_cells.h"

#include <array>
#include <utility>

#include "fmt/core.h"

namespace pentimento {

DateCells::DateCells(DayRange domain, DateForm form)
    : domain_(domain),
      form_(std::move(form)),
      other_form_(
          fmt::format("looks like a date in another form: the policy says {}; correct the row, or name the form "
                      "of the column with date = \"...\"",
                      form_.written())),
      no_date_(fmt::format("is no date of the form {}; correct the row, or list such cells in [input] missing where "
                           "they say that nothing is known",
                           form_.written())) {}

std::optional<Code> DateCells::CodeOf(std::string_view bytes, const CellType& type) const {
  CellScratch scratch;
  const std::optional<std::string_view> text = CellText(bytes, type, scratch);
  if (!text) return std::nullopt;
  const DateForm::Reading reading = FormOf(type).Read(*text);
  if (reading.fault != DateForm::Fault::kNone || !domain_.Contains(reading.day)) return std::nullopt;
  return static_cast<Code>(reading.day - domain_.first);
}

const char* DateCells::FaultOf(std::string_view text, const CellType& type) const {
  switch (FormOf(type).Read(text).fault) {
    case DateForm::Fault::kNone:
      return "is a date outside the declared domain; correct the row, or widen the domain in the policy (a series that "
             "has begun keeps its domain)";
    case DateForm::Fault::kOtherForm:
      return other_form_.c_str();
    case DateForm::Fault::kShortYear:
      return "looks like a date whose year has two digits, which do not tell the century; write the years of the table "
             "in full";
    case DateForm::Fault::kNoSuchDay:
      return "is a date that does not exist, such as the 30th of February; correct the row";
    case DateForm::Fault::kTimeZone:
      return "holds a time with an offset from UTC, so on which day it is depends on where one is; write the date "
             "alone";
    case DateForm::Fault::kNoDate:
      break;
  }
  return no_date_.c_str();
}

bool HasForeignZone(const CellType& type) {
  constexpr std::array<std::string_view, 8> kUtc = {"", "UTC", "utc", "Z", "+00:00", "Etc/UTC", "GMT", "Etc/GMT"};
  const std::string_view format = type.arrow_format;
  if (!format.starts_with("ts") || format.size() < 4) return false;
  const std::string_view zone = format.substr(4);
  for (const std::string_view utc : kUtc) {
    if (zone == utc) return false;
  }
  return true;
}

}  // namespace pentimento
