#include "engine/query/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pentimento {
namespace {

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

}  // namespace

bool QueryToken::IsKeyword(std::string_view keyword) const {
  return kind == Kind::kWord && EqualInAnyCase(text, keyword);
}

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

bool IsPlainWord(std::string_view text) {
  constexpr std::array<std::string_view, 5> kKeywords = {"count", "where", "and", "in", "or"};
  if (text.empty() || text.front() == '"' || text.front() == '\'') return false;
  if (std::ranges::any_of(kKeywords, [&](std::string_view keyword) { return EqualInAnyCase(text, keyword); }))
    return false;
  return std::ranges::none_of(text, EndsWord);
}

}  // namespace pentimento
