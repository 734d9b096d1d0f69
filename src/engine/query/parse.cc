#include "engine/query/parse.h"

#include <utility>

#include "engine/query/interval_set.h"
#include "engine/query/tokens.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

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
    if (Next().is_word()) return Fail("expected 'and'; a name or value with blanks stands in quotes");
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
    PENTIMENTO_ASSIGN(const Decimal number, ReadNumber(TakeValue()));
    (sign[0] == '<' ? predicate.hi : predicate.lo) = {number, sign.size() == 2};
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
    if (Next().is_word()) return Fail("expected ',' or ')'; a value with blanks stands in quotes");
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

  // From the two ends, which stand in `values`, and the closing bracket.
  Result<Predicate> EndInterval(Predicate predicate, bool lo_included) {
    predicate.kind = Predicate::Kind::kInterval;
    PENTIMENTO_ASSIGN(const Decimal lo, ReadNumber(predicate.values[0]));
    PENTIMENTO_ASSIGN(const Decimal hi, ReadNumber(predicate.values[1]));
    if (WideUnits(lo) > WideUnits(hi))
      return QueryError(query_, predicate.position, "the interval ends before it begins");
    predicate.lo = {lo, lo_included};
    predicate.hi = {hi, Take().text == "]"};
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

  Result<Decimal> ReadNumber(const QueryWord& word) const {
    if (const std::optional<Decimal> number = ParseDecimal(word.text)) return *number;
    return QueryError(query_, word.position, "expected a number here: digits, and at most one point");
  }

  const Query& query_;
  std::vector<QueryToken> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Query> ParseQuery(std::string text, std::string place) {
  Query query{std::move(text), std::move(place), {}};
  PENTIMENTO_ASSIGN(std::vector<QueryToken> tokens, TokensOf(query));
  PENTIMENTO_ASSIGN(query.predicates, Parser(query, std::move(tokens)).Read());
  return query;
}

}  // namespace pentimento
