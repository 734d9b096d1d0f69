// The rows of the new release that are in no match of a join, and a release that consists of some rows alone. Whoever
// holds the releases sees which rows match nothing, so they are verified by themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "guarantee/xy/joined_view.h"
#include "release/joined_releases.h"

namespace pentimento {

// Ascending. The join is not built: for one join value after the other a first match is looked for, and its rows
// are inside as soon as there is one.
std::vector<std::uint32_t> FindRowsOutside(const NewReleaseView& view, const JoinedReleases& releases,
                                           std::span<const std::uint32_t> against);

class SomeRows {
 public:
  SomeRows(const NewReleaseView& view, std::vector<std::uint32_t> rows);
  SomeRows(const SomeRows&) = delete;  // the view looks at the columns in place
  SomeRows& operator=(const SomeRows&) = delete;

  NewReleaseView view() const { return {draft_, exact_, persons_ ? &*persons_ : nullptr}; }
  std::uint64_t row_of_input(std::uint64_t row) const { return rows_[row]; }

 private:
  std::vector<std::uint32_t> rows_;
  Classes draft_;
  std::vector<CodeColumn> columns_;
  std::vector<const CodeColumn*> exact_;
  std::optional<Persons> persons_;
};

}  // namespace pentimento
