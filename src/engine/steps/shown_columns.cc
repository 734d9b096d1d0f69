#include "engine/steps/shown_columns.h"

#include <algorithm>

namespace pentimento {
namespace {

void AddShown(const std::string& name, Role role, ShownColumns& shown) {
  if (role == Role::kId) return;
  shown.columns.insert(name);
  if (shown.is_two_tables && role == Role::kSensitive) {
    shown.apart.insert(name);
  } else if (shown.is_two_tables || role != Role::kQuasiIdentifier) {
    shown.cells.insert(name);
  }
}

// The first in the order of names, so that the same two releases are refused in the same words.
std::optional<std::string> FirstInBoth(const std::set<std::string>& one, const std::set<std::string>& other) {
  const auto found = std::ranges::find_if(one, [&](const std::string& name) { return other.contains(name); });
  return found == one.end() ? std::nullopt : std::optional(*found);
}

std::optional<Clash> FindClashOf(const ShownColumns& two_tables, const ShownColumns& other) {
  if (const auto column = FirstInBoth(two_tables.apart, other.columns)) return Clash{*column, true};
  if (const auto column = FirstInBoth(two_tables.cells, other.cells)) return Clash{*column, false};
  return std::nullopt;
}

}  // namespace

ShownColumns ColumnsShownBy(const Policy& policy) {
  ShownColumns shown{.is_two_tables = policy.form == PublishForm::kTwoTables};
  for (const ColumnPolicy& column : policy.columns) AddShown(column.name, column.role, shown);
  return shown;
}

ShownColumns ColumnsShownBy(const ManifestHead& head) {
  ShownColumns shown{.is_two_tables = head.has_two_tables, .are_known = head.columns.has_value()};
  if (head.columns) {
    for (const auto& [name, role] : *head.columns) AddShown(name, role, shown);
  }
  return shown;
}

std::optional<Clash> FindClash(const ShownColumns& one, const ShownColumns& other) {
  if (!one.are_known || !other.are_known) {
    // Whatever one of them shows, a generalized table without any cell gives away nothing that it could be put beside.
    return one.has_no_cells() || other.has_no_cells() ? std::nullopt : std::optional(Clash{});
  }
  if (one.is_two_tables) {
    if (const auto clash = FindClashOf(one, other)) return clash;
  }
  return other.is_two_tables ? FindClashOf(other, one) : std::nullopt;
}

}  // namespace pentimento
