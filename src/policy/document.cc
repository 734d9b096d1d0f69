#include "policy/document.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "fmt/core.h"

// The only place that sees the TOML library, and its exceptions: the library as packaged has no other way to fail.
#include "toml++/toml.h"

namespace pentimento::policy_file {
namespace {

SourcePosition PositionOf(const toml::source_position& position) {
  return {static_cast<std::uint32_t>(position.line), static_cast<std::uint32_t>(position.column)};
}

bool StandsBefore(SourcePosition a, SourcePosition b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

bool ContinuesCodePoint(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The bytes of the UTF-8 code point at the beginning of `text`; 0 where there is none. Overlong forms, surrogates and
// values beyond U+10FFFF are none.
std::size_t CodePointLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length || !std::all_of(text.begin() + 1, text.begin() + length, ContinuesCodePoint)) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

// The library finds such bytes too, but names the place before them.
std::optional<SourcePosition> FindBadUtf8(std::string_view text) {
  SourcePosition position{1, 1};
  while (!text.empty()) {
    const std::size_t length = CodePointLength(text);
    if (length == 0) return position;
    position =
        text[0] == '\n' ? SourcePosition{position.line + 1, 1} : SourcePosition{position.line, position.column + 1};
    text.remove_prefix(length);
  }
  return std::nullopt;
}

// The part of a line from column `begin` up to column `end`; columns count code points, from 1.
std::string_view Slice(std::string_view line, std::uint32_t begin, std::uint32_t end) {
  std::size_t from = line.size();
  std::size_t to = line.size();
  std::uint32_t column = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (ContinuesCodePoint(line[i])) continue;
    ++column;
    if (column == begin) from = i;
    if (column == end) to = i;
  }
  return from < to ? line.substr(from, to - from) : std::string_view();
}

// Turns the library's tree into ours.
class Converter {
 public:
  explicit Converter(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  Value Convert(const toml::node& node) const {
    Value value;
    value.position = PositionOf(node.source().begin);
    if (const auto* boolean = node.as_boolean()) {
      value.content = boolean->get();
    } else if (const auto* whole = node.as_integer()) {
      value.content = whole->get();
    } else if (const auto* number = node.as_floating_point()) {
      value.content = Fractional{ExactDecimal(*number)};
    } else if (const auto* text = node.as_string()) {
      value.content = text->get();
    } else if (const auto* array = node.as_array()) {
      value.content = ConvertArray(*array);
    } else if (const auto* table = node.as_table()) {
      value.content = ConvertTable(*table);
    } else {
      value.content = Moment{};
    }
    return value;
  }

 private:
  Array ConvertArray(const toml::array& array) const {
    Array values;
    for (const toml::node& node : array) values.push_back(Convert(node));
    return values;
  }

  Table ConvertTable(const toml::table& table) const {
    Table entries;
    for (const auto& [key, node] : table) {
      entries.push_back({std::string(key.str()), PositionOf(key.source().begin), Convert(node)});
    }
    // The library sorts by name; people expect the order they wrote.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return StandsBefore(a.key_position, b.key_position); });
    return entries;
  }

  // Reads the digits in the text again: a double holds only about 17 of them, and a bound must mean what it says.
  // With an exponent, the shortest decimal of the double serves.
  std::optional<Decimal> ExactDecimal(const toml::value<double>& number) const {
    const toml::source_region& region = number.source();
    const std::size_t line = region.begin.line;
    if (line == 0 || line > lines_.size() || region.end.line != line) return DecimalFromDouble(number.get());
    std::string digits(Slice(lines_[line - 1], region.begin.column, region.end.column));
    if (digits.find_first_of("eE") != std::string::npos) return DecimalFromDouble(number.get());
    std::erase(digits, '_');
    return ParseDecimal(digits);
  }

  std::vector<std::string_view> lines_;
};

// What to do about a syntax error, by a word of the library's description of it.
std::string_view HintFor(std::string_view description) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kHints = {{
      {"cannot redefine", "keep one of the two and remove the other"},
      {"could not determine value type", "put quotes around a text, and write numbers plainly"},
      {"not representable", "write a number of at most 18 digits"},
      {"inline table", "keep { ... } on one line, with commas between its entries"},
      {"array", "close the list with ] and put commas between its entries"},
      {"table header", "write [name] or [[name]] alone on a line"},
      {"string", "end the text with the same quote it begins with, and double a backslash"},
      {"nest", "a policy needs no such depth, remove the inner brackets"},
  }};
  for (const auto& [word, hint] : kHints) {
    if (description.find(word) != std::string_view::npos) return hint;
  }
  return "write one 'key = value' on each line";
}

std::string SyntaxMessage(std::string_view description) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  const std::string_view hint = HintFor(description);
  if (description.starts_with(kPrefix)) description.remove_prefix(kPrefix.size());
  return fmt::format("this is not TOML: {}; {}", description, hint);
}

// A key may hold a line break or an escape sequence for the terminal; in a message it is shown as \u000a.
std::string OnOneLine(std::string_view message) {
  std::string line;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

std::string_view KindOf(const Value& value) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "a boolean", "a whole number", "a decimal number", "a text", "a date or time", "a list", "a table"};
  return kNames[value.content.index()];
}

Error Source::At(SourcePosition position, std::string_view message_as_written) const {
  const std::string message = OnOneLine(message_as_written);
  if (position.line == 0) return {ErrorCode::kBadPolicy, fmt::format("{}: {}", file_.string(), message)};
  return {ErrorCode::kBadPolicy, fmt::format("{}:{}:{}: {}", file_.string(), position.line, position.column, message)};
}

Result<Value> ParseDocument(std::string_view text, const Source& source) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return source.At({1, 1}, "the file is UTF-16; save it as UTF-8");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto bad = FindBadUtf8(text)) return source.At(*bad, "this byte is not UTF-8; save the file as UTF-8");
  try {
    Value document = Converter(text).Convert(toml::parse(text));
    document.position = {1, 1};
    return document;
  } catch (const toml::parse_error& error) {
    return source.At(PositionOf(error.source().begin), SyntaxMessage(error.description()));
  }
}

}  // namespace pentimento::policy_file
