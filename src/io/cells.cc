#include "io/cells.h"

#include <charconv>
#include <type_traits>

#include "fmt/core.h"

namespace pentimento {
namespace {

struct DecimalFormat {
  int scale = 0;
  int bits = 128;
};

// "d:precision,scale" or "d:precision,scale,bits".
std::optional<DecimalFormat> ReadDecimalFormat(std::string_view format) {
  if (!format.starts_with("d:")) return std::nullopt;
  int numbers[] = {0, 0, 128};
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  int count = 0;
  for (; count < 3 && at != end; ++count) {
    const auto [after, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || (after != end && *after != ',')) return std::nullopt;
    at = after == end ? end : after + 1;
  }
  const int bits = numbers[2];
  if (count < 2 || at != end || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return std::nullopt;
  return DecimalFormat{numbers[1], bits};
}

// Bytes per cell of the fixed-width formats of the Arrow C Data Interface; 0 for others.
int FixedWidth(std::string_view format) {
  if (format.size() == 1) {
    switch (format[0]) {
      case 'c':
      case 'C':
        return 1;
      case 's':
      case 'S':
      case 'e':
        return 2;
      case 'i':
      case 'I':
      case 'f':
        return 4;
      case 'l':
      case 'L':
      case 'g':
        return 8;
      default:
        return 0;
    }
  }
  if (format == "tdD" || format == "tts" || format == "ttm") return 4;
  if (format == "tdm" || format == "ttu" || format == "ttn") return 8;
  if (format.starts_with("ts") || format.starts_with("tD")) return 8;
  if (const std::optional<DecimalFormat> decimal = ReadDecimalFormat(format)) return decimal->bits / 8;
  return 0;
}

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Nothing for a floating-point number that needs more room: nobody means such a number as a value of a table about
// people.
template <typename T>
std::optional<std::string_view> Print(std::string_view bytes, CellScratch& scratch) {
  std::to_chars_result printed;
  if constexpr (std::is_floating_point_v<T>) {
    printed = std::to_chars(scratch.data(), scratch.data() + scratch.size(), Load<T>(bytes), std::chars_format::fixed);
  } else {
    printed = std::to_chars(scratch.data(), scratch.data() + scratch.size(), Load<T>(bytes));
  }
  if (printed.ec != std::errc()) return std::nullopt;
  return std::string_view(scratch.data(), static_cast<std::size_t>(printed.ptr - scratch.data()));
}

std::string_view Written(const CellScratch& scratch, const char* end) {
  return {scratch.data(), static_cast<std::size_t>(end - scratch.data())};
}

// `count` digits, with zeros in front.
char* PrintDigits(std::uint64_t number, int count, char* out) {
  for (int i = count; i-- > 0; number /= 10) out[i] = static_cast<char>('0' + number % 10);
  return out + count;
}

// As in the calendar that everybody uses, also for years before it was; nothing for years of more than four digits.
char* PrintDay(std::int64_t days_since_1970, char* out) {
  // Years begin with March here, so that the day that is not in all of them is the last one.
  constexpr std::int64_t kDaysBefore1970 = 719'468;  // since March 1 of the year 0
  constexpr std::int64_t kDaysOf400Years = 146'097;
  constexpr std::int64_t kFirst = -kDaysBefore1970 - 60, kLast = 2'932'896;  // 0000-01-01 and 9999-12-31
  if (days_since_1970 < kFirst || days_since_1970 > kLast) return nullptr;
  const std::int64_t days = days_since_1970 + kDaysBefore1970 + kDaysOf400Years;
  const std::int64_t in_cycle = days % kDaysOf400Years;
  const std::int64_t year = (in_cycle - in_cycle / 1460 + in_cycle / 36'524 - in_cycle / 146'096) / 365;
  const std::int64_t in_year = in_cycle - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * in_year + 2) / 153;  // 0 is March
  const std::int64_t day = in_year - (153 * month + 2) / 5 + 1;
  const bool is_next_year = month >= 10;
  const std::int64_t full_year = days / kDaysOf400Years * 400 - 400 + year + (is_next_year ? 1 : 0);
  out = PrintDigits(static_cast<std::uint64_t>(full_year), 4, out);
  *out++ = '-';
  out = PrintDigits(static_cast<std::uint64_t>(is_next_year ? month - 9 : month + 3), 2, out);
  *out++ = '-';
  return PrintDigits(static_cast<std::uint64_t>(day), 2, out);
}

struct Quotient {
  std::int64_t whole = 0, rest = 0;  // rest is never negative
};
Quotient DivideDown(std::int64_t number, std::int64_t by) {
  const std::int64_t rest = number % by;
  return rest < 0 ? Quotient{number / by - 1, rest + by} : Quotient{number / by, rest};
}

// Digits after the second, by the unit of a timestamp ("tss:", "tsm:Europe/Vienna", …).
int DigitsOfUnit(char unit) { return unit == 's' ? 0 : unit == 'm' ? 3 : unit == 'u' ? 6 : 9; }

// "2026-11-18 07:30:00.125"; with a Z behind it where the column has a time zone, because its cells count from UTC.
std::optional<std::string_view> PrintTimestamp(std::int64_t since_1970, std::string_view format, CellScratch& scratch) {
  const int digits = DigitsOfUnit(format[2]);
  std::int64_t units_per_second = 1;
  for (int i = 0; i < digits; ++i) units_per_second *= 10;
  const Quotient seconds = DivideDown(since_1970, units_per_second);
  const Quotient days = DivideDown(seconds.whole, 86'400);
  char* out = PrintDay(days.whole, scratch.data());
  if (out == nullptr) return std::nullopt;
  const auto print = [&](char before, std::int64_t number, int count) {
    *out++ = before;
    out = PrintDigits(static_cast<std::uint64_t>(number), count, out);
  };
  print(' ', days.rest / 3600, 2);
  print(':', days.rest / 60 % 60, 2);
  print(':', days.rest % 60, 2);
  if (digits > 0) print('.', seconds.rest, digits);
  if (format.size() > 4) *out++ = 'Z';
  return Written(scratch, out);
}

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

// Exactly, with all digits of the scale: "12.50", "-0.05", and "1200" for a scale of -2.
std::optional<std::string_view> PrintDecimal(Int128 units, int scale, CellScratch& scratch) {
  constexpr int kMostDigits = 39;
  if (scale > kMostDigits - 1 || scale < -16) return std::nullopt;
  char reversed[kMostDigits];
  int count = 0;
  UnsignedInt128 left = units < 0 ? 0 - static_cast<UnsignedInt128>(units) : static_cast<UnsignedInt128>(units);
  for (; left != 0 || count <= scale || count == 0; left /= 10)
    reversed[count++] = static_cast<char>('0' + static_cast<int>(left % 10));
  char* out = scratch.data();
  if (units < 0) *out++ = '-';
  while (count-- > 0) {
    *out++ = reversed[count];
    if (count == scale && scale > 0) *out++ = '.';
  }
  for (int i = scale; i < 0 && units != 0; ++i) *out++ = '0';
  return Written(scratch, out);
}

std::optional<std::string_view> DecimalText(std::string_view bytes, std::string_view format, CellScratch& scratch) {
  const std::optional<DecimalFormat> decimal = ReadDecimalFormat(format);
  switch (decimal ? decimal->bits : 0) {
    case 32:
      return PrintDecimal(Load<std::int32_t>(bytes), decimal->scale, scratch);
    case 64:
      return PrintDecimal(Load<std::int64_t>(bytes), decimal->scale, scratch);
    case 128:
      return PrintDecimal(Load<Int128>(bytes), decimal->scale, scratch);
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> DayText(std::int64_t day, CellScratch& scratch) {
  const char* const end = PrintDay(day, scratch.data());
  return end == nullptr ? std::nullopt : std::optional(Written(scratch, end));
}

// Types whose format has more than one letter.
std::optional<std::string_view> LongFormatText(std::string_view bytes, std::string_view format, CellScratch& scratch) {
  if (format == "tdD") return DayText(Load<std::int32_t>(bytes), scratch);
  if (format == "tdm") return DayText(DivideDown(Load<std::int64_t>(bytes), 86'400'000).whole, scratch);
  if (format.starts_with("ts")) return PrintTimestamp(Load<std::int64_t>(bytes), format, scratch);
  return DecimalText(bytes, format, scratch);
}

}  // namespace

Result<CellLayout> ReadLayout(const ArrowSchema& column) {
  CellLayout layout;
  const ArrowSchema* values = &column;
  if (column.dictionary != nullptr) {
    layout.index_format = column.format[0];
    values = column.dictionary;
  }
  const std::string_view format = values->format;
  if (format == "u" || format == "z") {
    layout.kind = CellKind::kText;
    layout.type.arrow_format = format;
  } else if (format == "U" || format == "Z") {
    layout.kind = CellKind::kLargeText;
    layout.type.arrow_format = format == "U" ? "u" : "z";
  } else if (format == "vu" || format == "vz") {
    layout.kind = CellKind::kTextView;
    layout.type.arrow_format = format == "vu" ? "u" : "z";
  } else if (format == "b") {
    layout.kind = CellKind::kBoolean;
    layout.type = {"b", 1};
  } else if (format == "n") {
    layout.kind = CellKind::kNull;
  } else if (const int width = FixedWidth(format); width > 0) {
    layout.kind = CellKind::kFixed;
    layout.type = {std::string(format), width};
  } else {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("column '{}' has the Arrow type '{}', which is not one plain value per cell; convert it to "
                    "text or numbers, or leave it out of the policy",
                    column.name == nullptr ? "" : column.name, format)};
  }
  return layout;
}

Cells::Cells(const ArrowArray& array, const CellLayout& layout)
    : kind_(layout.kind), width_(layout.type.width), offset_(array.offset), length_(array.length) {
  if (kind_ == CellKind::kNull) return;
  if (array.null_count != 0) validity_ = static_cast<const std::uint8_t*>(array.buffers[0]);
  const bool is_text = kind_ == CellKind::kText || kind_ == CellKind::kLargeText;
  if (is_text) offsets_ = array.buffers[1];
  data_ = static_cast<const char*>(array.buffers[is_text ? 2 : 1]);
  if (kind_ == CellKind::kTextView) texts_ = reinterpret_cast<const char* const*>(array.buffers + 2);
}

DictionaryIndices::DictionaryIndices(const ArrowArray& array, char index_format)
    : cells_(array, CellLayout{CellKind::kFixed, {std::string(1, index_format), FixedWidth({&index_format, 1})}, 0}),
      format_(index_format) {}

std::int64_t DictionaryIndices::operator[](std::int64_t row) const {
  if (cells_.IsNull(row)) return -1;
  const std::string_view bytes = cells_.Bytes(row);
  switch (format_) {
    case 'c':
      return Load<std::int8_t>(bytes);
    case 'C':
      return Load<std::uint8_t>(bytes);
    case 's':
      return Load<std::int16_t>(bytes);
    case 'S':
      return Load<std::uint16_t>(bytes);
    case 'i':
      return Load<std::int32_t>(bytes);
    case 'I':
      return Load<std::uint32_t>(bytes);
    default:
      return Load<std::int64_t>(bytes);
  }
}

bool IsTime(const CellType& type) { return type.arrow_format.starts_with("td") || type.arrow_format.starts_with("ts"); }

bool HasText(const CellType& type) {
  if (type.is_text()) return true;
  if (type.arrow_format.size() == 1) return type.arrow_format[0] != 'e';
  const std::optional<DecimalFormat> decimal = ReadDecimalFormat(type.arrow_format);
  return IsTime(type) || (decimal && decimal->bits <= 128);
}

std::optional<std::string_view> CellText(std::string_view bytes, const CellType& type, CellScratch& scratch) {
  if (type.is_text()) return bytes;
  if (type.arrow_format.size() > 1) return LongFormatText(bytes, type.arrow_format, scratch);
  switch (type.arrow_format[0]) {
    case 'b':
      return bytes[0] != 0 ? "true" : "false";
    case 'c':
      return Print<std::int8_t>(bytes, scratch);
    case 'C':
      return Print<std::uint8_t>(bytes, scratch);
    case 's':
      return Print<std::int16_t>(bytes, scratch);
    case 'S':
      return Print<std::uint16_t>(bytes, scratch);
    case 'i':
      return Print<std::int32_t>(bytes, scratch);
    case 'I':
      return Print<std::uint32_t>(bytes, scratch);
    case 'l':
      return Print<std::int64_t>(bytes, scratch);
    case 'L':
      return Print<std::uint64_t>(bytes, scratch);
    case 'f':
      return Print<float>(bytes, scratch);
    case 'g':
      return Print<double>(bytes, scratch);
    default:
      return std::nullopt;
  }
}

}  // namespace pentimento
