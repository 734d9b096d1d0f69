// Every join that a requirement is about, and the rows that are in none: what both verifiers of (X,Y)-privacy do alike.
// Nobody has to use all the releases that he has, so every selection of them is verified. Whoever holds the releases
// sees which rows match nothing, so these are verified by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// How many releases may or may not be in a selection: each doubles their number.
std::size_t CountReleasesToChoose(std::span<const std::uint32_t> against, std::span<const ReleaseColumn> x,
                                  std::span<const ReleaseColumn> y);

// With more of them there would be more joins than anybody waits for.
inline constexpr std::size_t kMostReleasesToChoose = 10;

// A release that consists of some rows alone.
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

// Either answer is why the requirement does not hold there, in words, or nothing.
struct JoinCheck {
  // Over the join with these releases; with no release: over the rows that it is shown, as a table by itself.
  std::function<Result<std::optional<std::string>>(const NewReleaseView&, std::span<const std::uint32_t>)> of_join;
  // Of rows that match nothing.
  std::function<Result<std::optional<std::string>>(const SomeRows&)> of_outside;
};

struct JoinedColumns {
  std::span<const std::uint32_t> against;
  std::span<const ReleaseColumn> x;
  std::span<const ReleaseColumn> y;
};

class JoinWalk {
 public:
  JoinWalk(const NewReleaseView& view, const XyReleases& releases) : view_(view), releases_(releases) {}

  // The first violation. The columns are well-formed (well_formed_join.h).
  std::optional<XyViolation> FindViolation(const JoinedColumns& columns, bool allows_dangling, const JoinCheck& check);

 private:
  std::optional<XyViolation> VerifyOne(const JoinedColumns& join, bool allows_dangling, const JoinCheck& check);
  const std::vector<std::uint32_t>& RowsOutside(std::span<const std::uint32_t> against);
  // Then the rows with one value on X match the same records, all or none of them, and what they meet on Y is in the
  // new release: the join tells nothing that these rows do not tell by themselves.
  bool IsAboutRowsAlone(const JoinedColumns& join) const;

  const NewReleaseView& view_;
  const XyReleases& releases_;
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> outside_;
};

}  // namespace pentimento
