// What a release of a series carries besides the columns of its policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "release/incremental_history.h"

namespace pentimento {

inline constexpr const char* kCaseColumn = "case_id";
inline constexpr const char* kChangeColumn = "change";

struct IncrementalPart {
  std::string series;
  std::size_t number = 0;     // of this release in the series, from 1
  std::string follows;        // the release before; empty for the first
  bool changes_only = false;  // the rows are those that are new or refined
  CaseNamer namer;
  std::vector<CaseNumber> case_of_row;   // empty: the row's number
  std::vector<std::uint8_t> is_refined;  // by row, where only changes are published: 0 for a newcomer
  std::vector<CaseNumber> withdrawn;     // with this release
};

}  // namespace pentimento
