// What a release shows of its people, column by column, and which two releases must not be about the same people
// because one of them is in two tables.
//
// Two tables keep apart who has which sensitive value: NSS has exact rows, SS values, and only the class connects them.
// So a column of SS must not be shown once more, in whatever role and however generalized: other classes of the same
// values are what the two are intersected with. And a cell that NSS shows must not be shown as a cell once more: it is
// a key by which rows are found again. Quasi-identifiers that are generalized elsewhere are none: whoever knows people
// by them knows more than that already.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/published/manifest.h"
#include "policy/policy.h"

namespace pentimento {

struct ShownColumns {
  bool is_two_tables = false;
  bool are_known = true;               // false: nobody knows, and it may be any
  std::set<std::string> columns = {};  // in any role
  std::set<std::string> cells = {};    // as they were collected, in a row of the person
  std::set<std::string> apart = {};    // of two tables: those of SS

  // Nothing that two tables must not meet.
  bool has_no_cells() const { return are_known && !is_two_tables && cells.empty(); }
};

ShownColumns ColumnsShownBy(const Policy& policy);
// What a folder says of itself.
ShownColumns ColumnsShownBy(const ManifestHead& head);

// Why two releases must not have the same people.
struct Clash {
  std::string column;     // that both show; empty where nobody knows what one of them shows
  bool is_apart = false;  // a column of SS; otherwise a cell of NSS
};
std::optional<Clash> FindClash(const ShownColumns& one, const ShownColumns& other);

}  // namespace pentimento
