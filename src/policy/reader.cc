#include "policy/reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/suggest.h"
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

Error WrongKind(const Source& source, const Value& value, std::string_view name, std::string_view wanted,
                std::string_view example) {
  return source.At(value.position,
                   fmt::format("{} is {}, but must be {}; write {}", name, KindOf(value), wanted, example));
}

constexpr std::size_t kLongestName = 100;

bool IsName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.front() == '.' || name.front() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
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

std::string Listed(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

Result<Text> ReadText(const Source& source, const Value& value, std::string_view name, std::string_view example) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) return WrongKind(source, value, name, "a text", example);
  return Text{*text, value.position};
}

Result<std::int64_t> ReadWhole(const Source& source, const Value& value, std::string_view name,
                               std::string_view example) {
  const auto* number = std::get_if<std::int64_t>(&value.content);
  if (number == nullptr) return WrongKind(source, value, name, "a whole number", example);
  return *number;
}

Result<std::vector<Text>> ReadTexts(const Source& source, const Value& value, std::string_view name,
                                    std::string_view example) {
  const auto* array = std::get_if<Array>(&value.content);
  if (array == nullptr) return WrongKind(source, value, name, "a list of texts", example);
  std::vector<Text> texts;
  std::unordered_set<std::string_view> seen;
  for (const Value& item : *array) {
    PENTIMENTO_ASSIGN(Text text, ReadText(source, item, fmt::format("an entry of {}", name), example));
    if (!seen.insert(std::get<std::string>(item.content)).second) {
      return source.At(item.position, fmt::format("{} lists '{}' twice; remove one of the two", name, text.text));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::size_t> ReadChoice(const Source& source, const Value& value, std::string_view name,
                               std::span<const std::string> choices) {
  PENTIMENTO_ASSIGN(const Text chosen,
                    ReadText(source, value, name, fmt::format("one of {}, in quotes", Listed(choices))));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == chosen.text) return i;
  }
  return source.At(value.position, fmt::format("{} cannot be '{}'; write one of {}.{}", name, chosen.text,
                                               Listed(choices), DidYouMean(chosen.text, choices)));
}

Result<Text> ReadName(const Source& source, const Value& value, std::string_view name, std::string_view example) {
  PENTIMENTO_ASSIGN(Text text, ReadText(source, value, name, example));
  if (IsName(text.text)) return text;
  return source.At(text.position,
                   fmt::format("the {} name cannot be a folder name; use 1 to {} letters (a to z), digits, '.', "
                               "'_' and '-', not beginning with '.' or '-'",
                               name, kLongestName));
}

Result<std::filesystem::path> ResolvePath(const Source& source, const Text& text, std::string_view name) {
  if (text.text.empty()) {
    return source.At(text.position, fmt::format("{} is empty; write the name of a file", name));
  }
  // The operating system would stop reading the name there and open another file.
  if (text.text.find('\0') != std::string::npos) {
    return source.At(text.position, fmt::format("{} holds the character U+0000; write the name of a file", name));
  }
  return source.Resolve(text.text);
}

Result<TableReader> TableReader::Open(const Source& source, const Value& value, std::string name,
                                      std::string_view example) {
  const auto* entries = std::get_if<Table>(&value.content);
  if (entries == nullptr) return WrongKind(source, value, name, "a table", example);
  return TableReader(source, *entries, value.position, std::move(name));
}

Status TableReader::AllowOnly(std::span<const std::string> keys) const {
  for (const Entry& entry : *entries_) {
    bool known = false;
    for (const std::string& key : keys) known = known || key == entry.key;
    if (known) continue;
    return source_->At(entry.key_position, fmt::format("unknown key '{}' in {}; use only {}.{}", entry.key, name_,
                                                       Listed(keys), DidYouMean(entry.key, keys)));
  }
  return {};
}

const Entry* TableReader::Find(std::string_view key) const {
  for (const Entry& entry : *entries_) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Result<const Entry*> TableReader::Require(std::string_view key, std::string_view example) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return source_->At(position_, fmt::format("{} has no '{}'; add {}", name_, key, example));
  return entry;
}

}  // namespace pentimento::policy_file
