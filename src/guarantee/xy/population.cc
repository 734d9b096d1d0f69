#include "guarantee/xy/population.h"

#include <algorithm>
#include <utility>

#include "guarantee/xy/fold.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/normal_form.h"
#include "guarantee/xy/relation.h"
#include "guarantee/xy/well_formed_join.h"

namespace pentimento {

Result<std::vector<std::uint64_t>> CountDangling(const NewReleaseView& view, const XyReleases& releases,
                                                 std::span<const std::uint32_t> against) {
  if (auto wrong = FindMalformedJoin(view, releases, against)) return Error{ErrorCode::kInternal, *std::move(wrong)};
  const std::vector<std::uint32_t> taking_part = TakingPart(against);
  // Without x and y a row is a join value, and a relation as small as it can be.
  const auto prepare = [](Relation& relation) { PrepareForLinkability(relation, CountingPath::kEverything); };
  std::vector<std::uint64_t> dangling;
  for (std::size_t place = 0; place < taking_part.size(); ++place) {
    std::vector<std::uint32_t> this_one_first = taking_part;
    std::swap(this_one_first[0], this_one_first[place]);
    PENTIMENTO_ASSIGN(const JoinSides sides, MakeSides(view, releases, this_one_first, JoinQuestion{}, prepare));
    const auto matches = FindAllMatches(sides.one, sides.others, sides.links);
    WideCount records = 0;
    for (const JoinRow& row : sides.one.rows) {
      if (matches[row.j].empty()) records += sides.one.weight[row.source];
    }
    dangling.push_back(static_cast<std::uint64_t>(records));
  }
  return dangling;
}

}  // namespace pentimento
