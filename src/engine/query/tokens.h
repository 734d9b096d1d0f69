// The words and signs of a query.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/query/query.h"

namespace pentimento {

struct QueryToken {
  enum class Kind { kWord, kQuoted, kSign, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // of kSign: ( ) [ ] , = != < <= > >=
  std::size_t position = 0;

  bool IsSign(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
  bool IsKeyword(std::string_view keyword) const;  // in any case, and never in quotes
  bool is_word() const { return kind == Kind::kWord || kind == Kind::kQuoted; }
};

// The last one is kEnd. Errors: a quote that is not closed, a sign that means nothing.
Result<std::vector<QueryToken>> TokensOf(const Query& query);

// A text that needs no quotes and is no keyword.
bool IsPlainWord(std::string_view text);

}  // namespace pentimento
