// The text of a policy whose roles are still to be confirmed. Everything in it comes from the names of columns, from
// counts, and from settings: no cell of the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/init/suggest.h"
#include "engine/init/survey.h"
#include "policy/policy.h"

namespace pentimento {

struct DraftInput {
  std::string about;               // "people.csv", for the first line
  std::vector<std::string> paths;  // as the policy writes them
  TextSetting text;
  std::vector<std::string> missing;  // besides the empty text
  char decimal_point = '.';
  bool trims = false;
};

struct DraftColumn {
  std::string name;
  Suggestion suggestion;
  std::string taxonomy;  // the path of its file, as the policy writes it; empty where it has none
};

struct PolicyDraft {
  std::string release;
  DraftInput input;
  std::uint64_t rows = 0;
  std::string form;  // how the table is written; empty where it is plain
  std::vector<DraftColumn> columns;
  std::uint64_t k = 10;
  std::vector<std::string> remarks;  // on the guarantee
};

std::string PolicyText(const PolicyDraft& draft);

// A name for a release, or a file, that is like this one: letters, digits, '-', '_' and '.'.
std::string SafeName(std::string_view name, std::string_view otherwise);

// "quasi-identifier"; "" where the column is left out.
std::string_view NameOf(SuggestedRole role);

}  // namespace pentimento
