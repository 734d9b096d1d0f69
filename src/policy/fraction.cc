#include "policy/fraction.h"

#include <optional>
#include <string>

#include "fmt/core.h"

namespace pentimento::policy_file {
namespace {

constexpr std::size_t kMostDigits = 18;  // see ParseRatio and ParseDecimal

// As it is written, in digits: the text of a fraction, or a number.
Result<std::string> WrittenFraction(const Source& source, const Value& value, const FractionPlace& place) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.content)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<Fractional>(&value.content)) {
    if (number->exact) return ToString(*number->exact);
    return source.At(value.position, fmt::format("{} is not a number of at most {} digits; write {}", place.name,
                                                 kMostDigits, place.example));
  }
  return source.At(value.position,
                   fmt::format("{} is {}, but must be a fraction; write {}", place.name, KindOf(value), place.example));
}

// `range`: what may be written, for a number below 0.
Result<Ratio> ReadRatio(const Source& source, const Value& value, const FractionPlace& place,
                        const std::string& written, std::string_view range) {
  const std::optional<Ratio> ratio = ParseRatio(written);
  if (ratio) return *ratio;
  if (written.starts_with('-') && ParseRatio(written.substr(1))) {
    return source.At(value.position, fmt::format("{} is {}, which is below 0; write {}", place.name, written, range));
  }
  if (written.size() > kMostDigits && written.find_first_not_of("0123456789./") == std::string::npos) {
    return source.At(value.position, fmt::format("{} has more digits than can be read exactly, which are {} after the "
                                                 "point; write {}",
                                                 place.name, kMostDigits, place.example));
  }
  return source.At(value.position, fmt::format("{} is '{}', which cannot be read as an exact fraction; write {}",
                                               place.name, written, place.example));
}

}  // namespace

Result<Ratio> ReadFraction(const Source& source, const Value& value, const FractionPlace& place) {
  PENTIMENTO_ASSIGN(const std::string written, WrittenFraction(source, value, place));
  PENTIMENTO_ASSIGN(const Ratio ratio, ReadRatio(source, value, place, written, "a fraction above 0 and at most 1"));
  if (ratio.num == 0) {
    return source.At(value.position, fmt::format("{} is 0, {}; write a fraction above 0", place.name, place.zero));
  }
  if (ratio > Ratio{1, 1}) {
    return source.At(value.position, fmt::format("{} is {}, but {}; write a fraction above 0 and at most 1", place.name,
                                                 written, place.above_one));
  }
  return ratio;
}

Result<Ratio> ReadFactor(const Source& source, const Value& value, const FractionPlace& place) {
  constexpr Ratio kLargestFactor = {1'000'000, 1};
  PENTIMENTO_ASSIGN(const std::string written, WrittenFraction(source, value, place));
  PENTIMENTO_ASSIGN(const Ratio factor,
                    ReadRatio(source, value, place, written, "a number or a fraction of at least 1"));
  if (factor < Ratio{1, 1} || factor > kLargestFactor) {
    return source.At(value.position, fmt::format("{} is {}; write a number or a fraction from 1 to {}, {}", place.name,
                                                 written, kLargestFactor.num, place.example));
  }
  return factor;
}

}  // namespace pentimento::policy_file
