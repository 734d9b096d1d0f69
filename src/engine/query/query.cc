#include "engine/query/query.h"

#include <algorithm>
#include <cctype>

#include "engine/query/tokens.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// Bytes of a query that a message shows.
constexpr std::size_t kShownWhole = 160, kShownAround = 60;

std::string Quoted(const std::string& text) {
  if (IsPlainWord(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string WriteInterval(const Predicate& predicate) {
  const auto& [lo, hi] = std::pair(predicate.lo, predicate.hi);
  if (lo && hi) {
    return fmt::format(" in {}{},{}{}", lo->included ? '[' : '(', ToString(lo->number), ToString(hi->number),
                       hi->included ? ']' : ')');
  }
  const QueryBound& bound = lo ? *lo : *hi;
  return fmt::format(" {}{} {}", lo ? '>' : '<', bound.included ? "=" : "", ToString(bound.number));
}

std::string WriteValues(const Predicate& predicate) {
  if (predicate.kind == Predicate::Kind::kNot) return " != " + Quoted(predicate.values.front().text);
  if (predicate.values.size() == 1) return " = " + Quoted(predicate.values.front().text);
  std::string list;
  for (const QueryWord& value : predicate.values) list += (list.empty() ? "" : ", ") + Quoted(value.text);
  return " in (" + list + ")";
}

}  // namespace

Error QueryError(const Query& query, std::size_t position, std::string_view message) {
  std::string shown = query.text;
  for (char& c : shown) c = std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  // A character of several bytes takes one place on the screen.
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  std::size_t place = std::min(position, shown.size());
  // Of a long query, as with lists of many values, what is around the place: else the mark would be lines below it.
  if (shown.size() > kShownWhole) {
    std::size_t end = std::min(place + kShownAround, shown.size());
    while (end < shown.size() && !begins_character(shown[end])) ++end;
    if (end < shown.size()) shown = shown.substr(0, end) + " ...";
    std::size_t begin = place - std::min(place, kShownAround);
    while (begin > 0 && !begins_character(shown[begin])) --begin;
    if (begin > 0) {
      shown = "... " + shown.substr(begin);
      place = place - begin + 4;
    }
  }
  const auto columns = static_cast<std::size_t>(
      std::count_if(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(place), begins_character));
  return {ErrorCode::kUsage, fmt::format("{}{}{}\n  {}\n  {}^", query.place, query.place.empty() ? "" : ": ", message,
                                         shown, std::string(columns, ' '))};
}

std::string WritePredicate(const Predicate& predicate) {
  return Quoted(predicate.column.text) +
         (predicate.kind == Predicate::Kind::kInterval ? WriteInterval(predicate) : WriteValues(predicate));
}

std::string WriteQuery(const std::vector<Predicate>& predicates) {
  std::string text = "count";
  for (const Predicate& predicate : predicates)
    text += (&predicate == &predicates.front() ? " where " : " and ") + WritePredicate(predicate);
  return text;
}

}  // namespace pentimento
