// The walk over all joins that a requirement is about: what both verifiers of (X,Y)-privacy do alike.
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
#include "guarantee/xy/joined_view.h"
#include "guarantee/xy/rows_outside.h"
#include "release/joined_releases.h"

namespace pentimento {

// Either answer is why the requirement does not hold there, in words, or nothing.
struct JoinJudge {
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
  JoinWalk(const NewReleaseView& view, const JoinedReleases& releases) : view_(view), releases_(releases) {}

  // The first violation. The columns are well-formed (well_formed_join.h).
  std::optional<JoinViolation> FindViolation(const JoinedColumns& columns, bool allows_dangling,
                                             const JoinJudge& judge);

 private:
  std::optional<JoinViolation> JudgeOne(const JoinedColumns& join, bool allows_dangling, const JoinJudge& judge);
  const std::vector<std::uint32_t>& RowsOutside(std::span<const std::uint32_t> against);
  // Then the rows with one value on X match the same records, all or none of them, and what they meet on Y is in the
  // new release: the join tells nothing that these rows do not tell by themselves.
  bool IsAboutRowsAlone(const JoinedColumns& join) const;

  const NewReleaseView& view_;
  const JoinedReleases& releases_;
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> outside_;
};

// "'immigration-2025' and 'housing-2025'"
std::string NamesOfReleases(std::span<const std::uint32_t> against, const JoinedReleases& releases);

}  // namespace pentimento
