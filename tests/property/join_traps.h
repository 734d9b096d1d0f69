// Where the shortcuts of "Anonymizing Sequential Releases" go wrong, or say nothing: small releases with the numbers of
// the definition. Trap 1, rows that dangle, is the paper's own example: Section4 in join_examples.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "property/join_examples.h"

namespace pentimento::join_examples {

// Two releases that join on one attribute.
inline Instance TwoReleases(std::vector<Row> t1, Column t1_join, std::vector<Row> t2, Column t2_join) {
  return {{std::move(t1), std::move(t2)}, {{.columns = {t1_join, t2_join}}}, {}};
}

// Trap 2: with T2.Job in X nothing that T1 does helps: k = 2 cannot be had even with every job of T1 at ANY.
inline Example JobsAtAny() {
  using namespace table1;
  Instance instance = Releases();
  for (Row& row : instance.releases[0]) row[kT1Job.column] = kJob("ANY");
  return {.instance = instance,
          .matches = 25,
          .anonymities = {{{kT1Name, kT1Job}, {kT2Disease}, 2, {}},
                          {{kT1Name, kT1Job, kT2Job}, {kT2Disease}, 1, {}},
                          {{kT2Job}, {kT2Disease}, 1, {}}}};
}

// Trap 3: with all join attributes of both sides in X, anonymity by the key of T1 is k-anonymity of T1 on its part of
// X, and by something of T2 it is what T2 has alone: 2, at every level of D in T1.
enum class Level { kLeaves, kNodes, kRoot };

inline Example Degenerate(Level level) {
  const Attribute c("any(c1 c2)"), d("ANY(d(d1 d2) d3)"), e("any(e1 e2 e3)");
  const std::string t1 = level == Level::kLeaves  ? "c1 d1 x2, c1 d2, c2 d2, c2 d3 x3"
                         : level == Level::kNodes ? "c1 d x2, c1 d, c2 d, c2 d3 x3"
                                                  : "c1 ANY x2, c1 ANY, c2 ANY, c2 ANY x3";
  const std::size_t matches = level == Level::kLeaves ? 17 : level == Level::kNodes ? 25 : 49;
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  return {.instance = TwoReleases(WithKey(Rows({c, d}, t1)), {0, 1},
                                  Rows({d, e}, "d1 e1, d1 e2, d2 e1, d2 e2, d3 e1, d3 e2, d3 e3"), {1, 0}),
          .matches = matches,
          .anonymities = {{x, {{0, 2}}, level == Level::kRoot ? 3u : 1u, {}}, {x, {{1, 1}}, 2, {}}}};
}

// Trap 4: counted in pairs of keys, anonymity grows from 2 to 4 when D is specialized, which Lemma 4.1 denies.
inline Example PairsOfKeys(bool is_specialized) {
  const Attribute c("any(c1 c3)"), d("d(d1 d2)");
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  const std::string t1 = is_specialized ? "c1 d1, c3 d1 x9, c3 d2 x2" : "c1 d, c3 d x9, c3 d x2";
  return {.instance = TwoReleases(WithKey(Rows({c, d}, t1)), {0, 1}, WithKey(Rows({d}, "d1 x10, d2 x2")), {1, 0}),
          .matches = is_specialized ? 104u : 144u,
          .anonymities = {{x, {{0, 2}, {1, 1}}, is_specialized ? 4u : 2u, {}}, {x, {{0, 2}}, 1, {}}}};
}

// Trap 5: with the join attribute E outside X the linkability to y falls from 1/2 to 1/82 when D is specialized, which
// Lemma 4.2 denies of each value y in its proof. Over all values the maximum is that of n, and it rises, 82/83 to 1.
inline Example JoinAttributeOutsideX(bool is_specialized) {
  const Attribute d("d(d1 d2)"), e("any(e1 e2)"), y("any(n y)");
  const Columns x = {{0, 0}, {1, 0}};
  const std::string t1 = is_specialized ? "d1 e1 n, d2 e1 y, d2 e2 n x9" : "d e1 n, d e1 y, d e2 n x9";
  const ValueSet yes = {{y("y")}};
  Example example{.instance = {{Rows({d, e, y}, t1), Rows({d, e}, "d1 e1, d2 e1, d2 e2 x9")},
                               {{.columns = {{0, 0}, {1, 0}}}, {.columns = {{0, 1}, {1, 1}}}},
                               {}},
                  .matches = 85,
                  .linkabilities = {
                      {x, {{{0, 2}}, {{yes}}, 1, 2}, {{1, 2, {d("d"), d("d1")}, yes}, {1, 83, {d("d"), d("d2")}, yes}}},
                      {x, {{{0, 2}}, std::nullopt, 82, 83}, {}}}};
  if (!is_specialized) return example;
  example.matches = 83;
  example.linkabilities = {
      {x, {{{0, 2}}, {{yes}}, 1, 82}, {{0, 1, {d("d1"), d("d1")}, yes}, {1, 82, {d("d2"), d("d2")}, yes}}},
      {x, {{{0, 2}}, std::nullopt, 1, 1}, {}}};
  return example;
}

// Trap 6: case 2 of section 5.4 adds up to 2 what is the one key of a generalized T2, twice.
inline Example GeneralizedEarlierRelease() {
  const Attribute c("any(c)"), d("any(d(d1 d2) d3)"), k2("any(k1)");
  return {.instance = TwoReleases(Rows({c, d}, "c d1, c d2"), {0, 1}, Rows({d, k2}, "d k1"), {1, 0}),
          .matches = 2,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 1, {}}}};
}

// Trap 7: case 1 of section 5.4, used although D is outside X, adds up to 2 what is the one value e.
inline Example OneValueThroughTwoPartitions() {
  const Attribute c("any(c)"), d("any(d1 d2)"), e("any(e)");
  return {.instance = TwoReleases(Rows({c, d}, "c d1, c d2"), {0, 1}, Rows({d, e}, "d1 e, d2 e"), {1, 0}),
          .matches = 2,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 1, {}}}};
}

// Trap 8: case 3 of section 5.4. The partitions of T1 with x = c are d (2 rows) and d3 (1 row), the first meets two of
// T2: 3 keys. Added once per pair of partitions they would be 5, and 2 or 1 if each partition set the number anew.
inline Example SeveralPartitionsOfOneX() {
  const Attribute c("any(c)"), d("any(d(d1 d2) d3)");
  return {.instance = TwoReleases(WithKey(Rows({c, d}, "c d x2, c d3")), {0, 1}, Rows({d}, "d1, d2, d3"), {1, 0}),
          .matches = 5,
          .anonymities = {{{{0, 0}}, {{0, 2}}, 3, {}}}};
}

// Trap 9: 200 pairs of keys, and one person.
inline Example OnePersonInTwoHundredPairs() {
  const Attribute c("any(c)"), d("any(d1)");
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  return {.instance = TwoReleases(WithKey(Rows({c, d}, "c d1")), {0, 1}, WithKey(Rows({d}, "d1 x200")), {1, 0}),
          .matches = 200,
          .anonymities = {{x, {{0, 2}, {1, 1}}, 200, {}}, {x, {{0, 2}}, 1, {}}, {x, {{1, 1}}, 200, {}}}};
}

// Trap 10: T2 shows d1 and d, which no cut does. By the join a is y1 or y2; of the pairings of all rows only one is
// left, and a is y1. The join alone objects to k = 2 as well, but because of b.
inline Example LocallyRecoded() {
  const Attribute c("any(a b)"), d("d(d1 d2)"), y("any(y1 y2)");
  return {.instance = TwoReleases(Rows({c, d}, "a d1, b d2"), {0, 1}, Rows({d, y}, "d1 y1, d y2"), {1, 0}),
          .matches = 3,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 1, {{{c("a")}, 2}, {{c("b")}, 1}}}}};
}

// The same where the join finds nothing to object to at k = 2: the two rows of b need y2 and y3, so a is y1.
inline Example LocallyRecodedUnseen() {
  const Attribute c("any(a b)"), d("d(d1 d2)"), y("any(y1 y2 y3)");
  return {.instance = TwoReleases(Rows({c, d}, "a d1, b d2 x2"), {0, 1}, Rows({d, y}, "d1 y1, d y2, d y3"), {1, 0}),
          .matches = 7,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 2, {{{c("a")}, 3}, {{c("b")}, 2}}}}};
}

// The same with cuts on both sides, where two releases cut the same numbers at different places ...
inline Example CutAtDifferentPlaces() {
  const Attribute c("any(a b)"), age, y("any(y1 y2 y3)");
  Instance instance =
      TwoReleases(Rows({c, age}, "a 0-9, b 10-19 x2"), {0, 1}, Rows({age, y}, "0-4 y1, 5-19 y2, 5-19 y3"), {1, 0});
  instance.common[0].by_overlap = true;
  return {.instance = instance, .matches = 7, .anonymities = {{{{0, 0}}, {{1, 1}}, 2, {{{c("a")}, 3}, {{c("b")}, 2}}}}};
}

// ... and where common sense excludes pairs.
inline Example SortedByCommonSense() {
  const Attribute c("any(a b)"), sex("any(Male Female)"), condition("any(Pregnant Other)"), y("any(y1 y2 y3)");
  return {.instance = {{Rows({c, sex}, "a Female, b Male x2"), Rows({condition, y}, "Pregnant y1, Other y2, Other y3")},
                       {},
                       {{{0, 1}, sex("Male"), {1, 0}, condition("Pregnant")}}},
          .matches = 7,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 2, {{{c("a")}, 3}, {{c("b")}, 2}}}}};
}

// A cut on both sides of a taxonomy: every match is part of some pairing of all rows.
inline Example CutsOnBothSides() {
  const Attribute c("any(a b)"), d("any(d(d1 d2) e(e1 e2))"), y("any(y1 y2 y3 y4)");
  return {.instance = TwoReleases(Rows({c, d}, "a d1, b d2, a e, b e"), {0, 1},
                                  Rows({d, y}, "d y1, d y2, e1 y3, e2 y4"), {1, 0}),
          .matches = 8,
          .anonymities = {{{{0, 0}}, {{1, 1}}, 4, {}}}};
}

// Trap 11: the paper leaves numbers out of the join, and A is 3. An attacker joins ranges that overlap: 2. Whoever asks
// for ranges inside each other, as on a path, finds 1 and 4 matches.
enum class Ages { kLeftOut, kOverlap, kPath };

inline Example SharedNumbers(Ages ages) {
  const Attribute c("any(a b)"), age, y("any(y1 y2 y3)");
  Example example{.instance = TwoReleases(Rows({c, age}, "a 0-9 x2, b 10-19 x2"), {0, 1},
                                          Rows({age, y}, "0-4 y1, 5-14 y2 x2, 15-19 y3"), {1, 0}),
                  .matches = 16,
                  .anonymities = {{{{0, 0}}, {{1, 1}}, 3, {}}}};
  if (ages == Ages::kLeftOut) example.instance.common.clear();
  if (ages == Ages::kOverlap) {
    example.instance.common[0].by_overlap = true;
    example.matches = 12;
    example.anonymities[0].least = 2;
  }
  if (ages == Ages::kPath) {
    example.matches = 4;
    example.dangling = {{}, {1, 2}};
    example.anonymities[0].least = 1;
  }
  return example;
}

// One number in common is enough, and neighbours have none.
inline Example NumbersThatTouch() {
  const Attribute age;
  Example example{.instance = TwoReleases(Rows({age}, "0-4, 5-9, 10"), {0, 0}, Rows({age}, "4-5, 6-10, 11-20"), {1, 0}),
                  .matches = 4,
                  .dangling = {{}, {2}}};
  example.instance.common[0].by_overlap = true;
  return example;
}

// Trap 12: three rows of one person are one person.
inline Example SeveralRowsOfOnePerson() {
  const Attribute c("any(c)"), d("any(d1 d2)"), p("any(p1 p2)"), e("any(e1 e2)");
  const Column person{0, 2}, row{0, 3};
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  return {
      .instance = TwoReleases(WithKey(Rows({c, d, p}, "c d1 p1 x3, c d2 p2 x3")), {0, 1},
                              Rows({d, e}, "d1 e1 x3, d2 e2 x3"), {1, 0}),
      .matches = 18,
      .anonymities = {{x, {person}, 1, {}}, {x, {row}, 3, {}}, {{{0, 0}}, {person}, 2, {}}, {{{0, 0}}, {row}, 6, {}}}};
}

inline std::vector<Example> Traps() {
  return {Section4(false),
          Section4(true),
          JobsAtAny(),
          Degenerate(Level::kLeaves),
          Degenerate(Level::kNodes),
          Degenerate(Level::kRoot),
          PairsOfKeys(false),
          PairsOfKeys(true),
          JoinAttributeOutsideX(false),
          JoinAttributeOutsideX(true),
          GeneralizedEarlierRelease(),
          OneValueThroughTwoPartitions(),
          SeveralPartitionsOfOneX(),
          OnePersonInTwoHundredPairs(),
          LocallyRecoded(),
          LocallyRecodedUnseen(),
          CutAtDifferentPlaces(),
          SortedByCommonSense(),
          CutsOnBothSides(),
          SharedNumbers(Ages::kLeftOut),
          SharedNumbers(Ages::kOverlap),
          SharedNumbers(Ages::kPath),
          NumbersThatTouch(),
          SeveralRowsOfOnePerson()};
}

inline std::vector<Example> All() {
  std::vector<Example> all = OfThePaper();
  for (const Example& trap : Traps()) all.push_back(trap);
  return all;
}

}  // namespace pentimento::join_examples
