#include "guarantee/xy/join_counting.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/check.h"

namespace pentimento {
namespace {

std::vector<JoinRow> RowsWith(const Relation& relation, std::uint32_t x, std::optional<std::uint32_t> y) {
  std::vector<JoinRow> rows;
  for (const JoinRow& row : relation.rows) {
    if (row.x == x && (!y || row.y == *y)) rows.push_back(row);
  }
  return rows;
}

MatchWitness WitnessOf(const JoinSides& sides, const JoinRow& one, const JoinRow& others) {
  MatchWitness witness{sides.one.example[one.source], {}};
  const std::size_t width = sides.others.releases.size();
  for (std::size_t place = 0; place < width; ++place)
    witness.records.push_back({sides.others.releases[place], sides.others.example[others.source * width + place]});
  return witness;
}

}  // namespace

MatchWitness FindWitness(const JoinSides& sides, const WitnessValues& wanted) {
  const std::vector<SharedLink> shared = SharedLinks(sides.one, sides.others, sides.links);
  const std::vector<JoinRow> others = RowsWith(sides.others, wanted.others_x, wanted.others_y);
  for (const JoinRow& one : RowsWith(sides.one, wanted.one_x, wanted.one_y)) {
    for (const JoinRow& other : others) {
      if (JoinValuesMatch(shared, sides.one.join_value(one.j), sides.others.join_value(other.j)))
        return WitnessOf(sides, one, other);
    }
  }
  FailCheck("a value of the join has no match", std::source_location::current());
}

std::string Describe(const MatchWitness& witness, const XyReleases& releases) {
  std::string text = fmt::format("row {} of the input has it", witness.row + 1);
  for (std::size_t place = 0; place < witness.records.size(); ++place) {
    const auto& [release, record] = witness.records[place];
    text += fmt::format("{}record {} of '{}'", place == 0 ? ", with records like " : " and ", record + 1,
                        releases.earlier[release - 1].name);
  }
  return text;
}

}  // namespace pentimento
