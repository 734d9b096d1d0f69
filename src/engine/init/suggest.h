// What each column of a table may be. Suggestions only: the owner of the table confirms every role.
//
// 1. Nothing is suggested that publishes a column as it is, unless the owner has said so elsewhere (an ARX project).
// 2. What is said of a column holds no cell of it. Leaves of a taxonomy are cells, and that is said.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/init/survey.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// What is known of a column besides its cells.
struct ColumnHint {
  enum class Kind { kUnknown, kIdentifying, kQuasiIdentifying, kSensitive, kInsensitive };
  Kind kind = Kind::kUnknown;
  bool is_target = false;            // what ARX calls a response variable
  std::optional<Taxonomy> taxonomy;  // made elsewhere
  std::string from;                  // where all this stands, for people
  std::string fault;                 // of a taxonomy that cannot be used
};
using ColumnHints = std::map<std::string, ColumnHint>;  // by column

enum class SuggestedRole { kNone, kId, kQuasiIdentifier, kSensitive };

struct Suggestion {
  SuggestedRole role = SuggestedRole::kNone;  // none: the column is left out
  std::string looks_like;                     // "whole numbers"
  std::vector<std::string> remarks;           // sentences, for people
  std::string keys;               // what the policy says of the column besides its role: ", domain = [0, 100]"
  std::string taxonomy;           // the text of its file, where it gets one
  std::uint64_t leaves_once = 0;  // leaves of it that occur once in the table
};

// "whole numbers", "text", "dates", ...
std::string LooksLike(const ColumnSurvey& column);
std::vector<Suggestion> SuggestRoles(const TableSurvey& table, const ColumnHints& hints);

// A domain that holds both and tells neither.
std::pair<std::int64_t, std::int64_t> RoundedOutwards(std::int64_t smallest, std::int64_t largest);

}  // namespace pentimento
