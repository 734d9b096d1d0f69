#include "engine/query/query.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.h"
#include "base/result.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// A word or a sign of a query.
struct QueryToken {
  enum class Kind { kWord, kQuoted, kSign, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // of kSign: ( ) [ ] , = != < <= > >=
  std::size_t position = 0;

  bool IsSign(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
  bool IsKeyword(std::string_view keyword) const;  // in any case, and never in quotes
  bool is_word() const { return kind == Kind::kWord || kind == Kind::kQuoted; }
};

constexpr std::string_view kSigns = "()[],=!<>";

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool EndsWord(char c) { return IsBlank(c) || kSigns.find(c) != std::string_view::npos; }

bool EqualInAnyCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

// From the opening quote at `position`; a doubled quote stands for one.
Result<QueryToken> ReadQuoted(const Query& query, std::size_t& position) {
  QueryToken token{QueryToken::Kind::kQuoted, "", position};
  const char quote = query.text[position++];
  for (; position < query.text.size(); ++position) {
    if (query.text[position] != quote) {
      token.text += query.text[position];
    } else if (position + 1 < query.text.size() && query.text[position + 1] == quote) {
      token.text += query.text[position++];
    } else {
      ++position;
      return token;
    }
  }
  return QueryError(query, token.position, "this quote is not closed");
}

Result<QueryToken> ReadSign(const Query& query, std::size_t& position) {
  QueryToken token{QueryToken::Kind::kSign, std::string(1, query.text[position]), position};
  ++position;
  const bool takes_equal = token.text == "!" || token.text == "<" || token.text == ">";
  if (takes_equal && position < query.text.size() && query.text[position] == '=') {
    token.text += '=';
    ++position;
  } else if (token.text == "<" && position < query.text.size() && query.text[position] == '>') {
    return QueryError(query, token.position, "'<>' is written '!=' here");
  }
  if (token.text == "!") return QueryError(query, token.position, "'!' stands only in '!='");
  return token;
}

bool QueryToken::IsKeyword(std::string_view keyword) const {
  return kind == Kind::kWord && EqualInAnyCase(text, keyword);
}

// The last one is kEnd. Errors: a quote that is not closed, a sign that means nothing.
Result<std::vector<QueryToken>> TokensOf(const Query& query) {
  std::vector<QueryToken> tokens;
  std::size_t position = 0;
  while (position < query.text.size()) {
    const char c = query.text[position];
    if (IsBlank(c)) {
      ++position;
    } else if (c == '"' || c == '\'') {
      PENTIMENTO_ASSIGN(QueryToken token, ReadQuoted(query, position));
      tokens.push_back(std::move(token));
    } else if (kSigns.find(c) != std::string_view::npos) {
      PENTIMENTO_ASSIGN(QueryToken token, ReadSign(query, position));
      tokens.push_back(std::move(token));
    } else {
      QueryToken token{QueryToken::Kind::kWord, "", position};
      while (position < query.text.size() && !EndsWord(query.text[position])) token.text += query.text[position++];
      tokens.push_back(std::move(token));
    }
  }
  tokens.push_back({QueryToken::Kind::kEnd, "", query.text.size()});
  return tokens;
}

// A text that needs no quotes and is no keyword.
bool IsPlainWord(std::string_view text) {
  constexpr std::array<std::string_view, 5> kKeywords = {"count", "where", "and", "in", "or"};
  if (text.empty() || text.front() == '"' || text.front() == '\'') return false;
  if (std::ranges::any_of(kKeywords, [&](std::string_view keyword) { return EqualInAnyCase(text, keyword); }))
    return false;
  return std::ranges::none_of(text, EndsWord);
}

constexpr std::string_view kNoComma = "expected ',' between the ends of the interval";

class Parser {
 public:
  Parser(const Query& query, std::vector<QueryToken> tokens) : query_(query), tokens_(std::move(tokens)) {}

  Result<std::vector<Predicate>> Read() {
    if (!Next().IsKeyword("count")) return Fail("a query begins with 'count'");
    Take();
    std::vector<Predicate> predicates;
    if (Next().kind == QueryToken::Kind::kEnd) return predicates;
    if (!Next().IsKeyword("where")) return Fail("expected 'where', or nothing, after 'count'");
    do {
      Take();  // 'where' or 'and'
      PENTIMENTO_ASSIGN(Predicate predicate, ReadPredicate());
      predicates.push_back(std::move(predicate));
    } while (Next().IsKeyword("and"));
    if (Next().kind == QueryToken::Kind::kEnd) return predicates;
    if (Next().IsKeyword("or"))
      return Fail("'or' is not known: write column in (a, b) for values of one column, else ask two queries");
    if (Next().is_word()) return Fail("expected 'and'; a name or value with blanks is written in quotes");
    return Fail("expected 'and', or the end of the query");
  }

 private:
  const QueryToken& Next() const { return tokens_[at_]; }
  QueryToken Take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  Error Fail(std::string_view message) const { return QueryError(query_, Next().position, message); }

  Result<Predicate> ReadPredicate() {
    const QueryToken& column = Next();
    const bool is_keyword = column.IsKeyword("and") || column.IsKeyword("in") || column.IsKeyword("where");
    if (!column.is_word() || is_keyword) return Fail("expected the name of a column");
    Predicate predicate;
    predicate.column = {column.text, column.position};
    Take();
    if (Next().IsSign("=") || Next().IsSign("!=")) return ReadEqual(std::move(predicate));
    for (const std::string_view sign : {"<", "<=", ">", ">="}) {
      if (Next().IsSign(sign)) return ReadComparison(std::move(predicate));
    }
    if (!Next().IsKeyword("in")) return Fail("expected =, !=, <, <=, >, >= or 'in' after the name of a column");
    Take();
    predicate.position = Next().position;
    if (Next().IsSign("(")) return ReadList(std::move(predicate));
    if (Next().IsSign("[")) return ReadInterval(std::move(predicate));
    return Fail("expected a list (a, b, ...) or an interval [a,b) after 'in'");
  }

  Result<Predicate> ReadEqual(Predicate predicate) {
    predicate.kind = Take().text == "=" ? Predicate::Kind::kOneOf : Predicate::Kind::kNot;
    if (!Next().is_word()) return Fail("expected a value");
    predicate.position = Next().position;
    predicate.values.push_back(TakeValue());
    return predicate;
  }

  Result<Predicate> ReadComparison(Predicate predicate) {
    predicate.kind = Predicate::Kind::kInterval;
    const std::string sign = Take().text;
    predicate.position = Next().position;
    if (!Next().is_word()) return Fail("expected a number");
    PENTIMENTO_ASSIGN(const QueryBound bound, ReadBound(TakeValue(), sign.size() == 2));
    (sign[0] == '<' ? predicate.hi : predicate.lo) = bound;
    return predicate;
  }

  // A list of values; (a,b] begins like one and turns out to be an interval.
  Result<Predicate> ReadList(Predicate predicate) {
    do {
      Take();  // '(' or ','
      if (!Next().is_word()) return Fail("expected a value");
      predicate.values.push_back(TakeValue());
    } while (Next().IsSign(","));
    if (Next().IsSign("]") && predicate.values.size() == 2) return EndInterval(std::move(predicate), false);
    if (Next().is_word()) return Fail("expected ',' or ')'; a value with blanks is written in quotes");
    if (!Next().IsSign(")")) return Fail("expected ',' or ')'");
    Take();
    return predicate;
  }

  Result<Predicate> ReadInterval(Predicate predicate) {
    Take();
    if (!Next().is_word()) return Fail("expected a number");
    predicate.values.push_back(TakeValue());
    if (!Next().IsSign(",")) return QueryError(query_, EndOfNumber(predicate.values[0]), kNoComma);
    Take();
    if (!Next().is_word()) return Fail("expected a number");
    predicate.values.push_back(TakeValue());
    if (!Next().IsSign(")") && !Next().IsSign("]")) return Fail("expected ')' or ']' at the end of the interval");
    return EndInterval(std::move(predicate), true);
  }

  // From the two ends, which are in `values`, and the closing bracket.
  Result<Predicate> EndInterval(Predicate predicate, bool lo_included) {
    predicate.kind = Predicate::Kind::kInterval;
    PENTIMENTO_ASSIGN(predicate.lo, ReadBound(predicate.values[0], lo_included));
    PENTIMENTO_ASSIGN(predicate.hi, ReadBound(predicate.values[1], Next().IsSign("]")));
    if (predicate.lo->is_date != predicate.hi->is_date)
      return QueryError(query_, predicate.position, "the interval has a date and a number as its ends");
    if (WideUnits(predicate.lo->number) > WideUnits(predicate.hi->number))
      return QueryError(query_, predicate.position, "the interval ends before it begins");
    Take();
    predicate.values.clear();
    return predicate;
  }

  // Behind the number that a word begins with: the word may go on with another sign for the comma. Else the next word.
  std::size_t EndOfNumber(const QueryWord& word) const {
    const std::size_t end = word.text.find_first_not_of("+-.0123456789");
    const bool is_quoted = query_.text.compare(word.position, word.text.size(), word.text) != 0;
    return end == std::string::npos || end == 0 || is_quoted ? Next().position : word.position + end;
  }

  QueryWord TakeValue() {
    const QueryToken token = Take();
    return {token.text, token.position};
  }

  Result<QueryBound> ReadBound(const QueryWord& word, bool is_included) const {
    if (const std::optional<Decimal> number = ParseDecimal(word.text)) return QueryBound{*number, is_included};
    if (const std::optional<Day> day = ParseDay(word.text)) return QueryBound{{*day, 0}, is_included, true};
    return QueryError(query_, word.position,
                      "expected a number here: digits, and at most one point; or a date: 2024-03-05");
  }

  const Query& query_;
  std::vector<QueryToken> tokens_;
  std::size_t at_ = 0;
};

// Bytes of a query that a message shows.
constexpr std::size_t kShownWhole = 160, kShownAround = 60;

std::string Quoted(const std::string& text) {
  if (IsPlainWord(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string WriteBound(const QueryBound& bound) {
  return bound.is_date ? WriteDay(static_cast<Day>(bound.number.units)) : ToString(bound.number);
}

std::string WriteInterval(const Predicate& predicate) {
  const auto& [lo, hi] = std::pair(predicate.lo, predicate.hi);
  if (lo && hi) {
    return fmt::format(" in {}{},{}{}", lo->included ? '[' : '(', WriteBound(*lo), WriteBound(*hi),
                       hi->included ? ']' : ')');
  }
  const QueryBound& bound = lo ? *lo : *hi;
  return fmt::format(" {}{} {}", lo ? '>' : '<', bound.included ? "=" : "", WriteBound(bound));
}

std::string WriteValues(const Predicate& predicate) {
  if (predicate.kind == Predicate::Kind::kNot) return " != " + Quoted(predicate.values.front().text);
  if (predicate.values.size() == 1) return " = " + Quoted(predicate.values.front().text);
  std::string list;
  for (const QueryWord& value : predicate.values) list += (list.empty() ? "" : ", ") + Quoted(value.text);
  return " in (" + list + ")";
}

}  // namespace

Result<Query> ParseQuery(std::string text, std::string place) {
  Query query{std::move(text), std::move(place), {}};
  PENTIMENTO_ASSIGN(std::vector<QueryToken> tokens, TokensOf(query));
  PENTIMENTO_ASSIGN(query.predicates, Parser(query, std::move(tokens)).Read());
  return query;
}

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
