// Drafts of many groups, columns and rows, against the plain way.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "guarantee/form/box_classes.h"
#include "guarantee/form/one_table_form.h"

namespace pentimento::large_draft_test {
namespace {

Domain Letters() {
  return Domain(
      std::make_shared<const Taxonomy>(
          Taxonomy::Parse("a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;B;X;*\nf;C;Y;*\ng;D;Y;*\nh;D;Y;*\n", "letters")
              .value()),
      false);
}

const std::vector<Domain>& Domains() {
  static const std::vector<Domain> domains{Letters(), Domain(NumericRange{0, 2999, 0, {}}, false)};
  return domains;
}

Box RandomBox(Random& random) {
  Box box;
  for (const Domain& domain : Domains()) {
    const Code lo = random.Below(domain.size());
    box.push_back(domain.Cover({lo, lo + random.Below(domain.size() - lo)}, CategoryForm::kTaxonomy));
  }
  return box;
}

Classes RandomDraft(std::size_t groups, Random& random) {
  Classes draft{.columns = Domains().size(), .boxes = {}, .of_row = {}};
  for (std::size_t g = 0; g < groups; ++g) {
    const Box box = RandomBox(random);
    draft.boxes.insert(draft.boxes.end(), box.begin(), box.end());
  }
  return draft;
}

TEST(LargeDraft, ClassesAreThoseOfAMapOfBoxes) {
  Random random(SeedFromNumber(1), "classes");
  for (const std::size_t groups : {1, 255, 256, 257, 20000}) {
    const Classes draft = RandomDraft(groups, random);
    std::map<Box, ClassId> class_of_box;
    std::vector<ClassId> expected;
    for (ClassNumber g = 0; g < groups; ++g) {
      const Box box(draft.box(g).begin(), draft.box(g).end());
      expected.push_back(class_of_box.emplace(box, static_cast<ClassId>(class_of_box.size())).first->second);
    }
    EXPECT_EQ(ClassOfGroup(draft), expected) << groups << " groups";
  }
}

// The first interval that is wrong, whatever good ones are before it.
TEST(LargeDraft, EveryWrongIntervalIsFound) {
  Random random(SeedFromNumber(2), "intervals");
  EncodedTable table{.rows = 0, .quasi_identifiers = {CodeColumn(8), CodeColumn(3000)}, .persons = std::nullopt};
  for (std::size_t turn = 0; turn < TestRounds(300); ++turn) {
    Classes draft = RandomDraft(1 + random.Below(9000), random);
    ASSERT_EQ(FindMalformation(table, Domains(), CategoryForm::kTaxonomy, draft), std::nullopt);
    const std::size_t group = random.Below(static_cast<std::uint32_t>(draft.count()));
    // Two kinds of wrong: no node of the taxonomy, and the wrong way round.
    const bool is_reversed = random.Below(2) == 0;
    draft.boxes[group * 2] = is_reversed ? Interval{1, 0} : Interval{1, 2};
    const std::string expected = "the interval of class " + std::to_string(group) + " in quasi-identifier 1 " +
                                 (is_reversed ? "ends before it begins" : "is not a value that can be published");
    ASSERT_EQ(FindMalformation(table, Domains(), CategoryForm::kTaxonomy, draft), expected);
  }
}

// With few rows per group and with many.
TEST(LargeDraft, TheFirstFalseCellIsFoundHoweverManyRowsAGroupHas) {
  Random random(SeedFromNumber(3), "cells");
  for (const std::size_t groups : {5, 50, 300, 3000}) {
    for (int turn = 0; turn < 30; ++turn) {
      Classes draft = RandomDraft(groups, random);
      EncodedTable table{
          .rows = 2400, .quasi_identifiers = {CodeColumn(8, 2400), CodeColumn(3000, 2400)}, .persons = std::nullopt};
      for (std::size_t row = 0; row < table.rows; ++row) {
        draft.of_row.push_back(random.Below(static_cast<std::uint32_t>(groups)));
        for (std::size_t c = 0; c < 2; ++c) {
          const Interval interval = draft.box(draft.of_row[row])[c];
          table.quasi_identifiers[c].Set(row, interval.lo + random.Below(static_cast<std::uint32_t>(interval.size())));
        }
      }
      ASSERT_FALSE(FindFalseCell(table, draft));
      const std::size_t row = random.Below(2400);
      const Interval interval = draft.box(draft.of_row[row])[1];
      if (interval.size() == 3000) continue;
      table.quasi_identifiers[1].Set(row, interval.lo > 0 ? interval.lo - 1 : interval.hi + 1);
      const auto cell = FindFalseCell(table, draft);
      ASSERT_TRUE(cell) << groups << " groups";
      EXPECT_EQ(cell->row, row);
      EXPECT_EQ(cell->column, 1U);
    }
  }
}

// Any number of columns of any width, a code too low or too high in any of them.
TEST(LargeDraft, TheFirstFalseCellIsFoundInAnyOfManyColumns) {
  Random random(SeedFromNumber(4), "columns");
  constexpr std::uint32_t kRows = 1100;
  for (std::size_t turn = 0; turn < TestRounds(400); ++turn) {
    // Sizes at which codes need more bits, up to all 32; only every other turn has one that needs more than 16.
    const std::vector<Code> sizes = {2, 256, 257, 3000, 65'536, 65'537, 4'294'967'295};
    const std::size_t columns = 1 + random.Below(20);
    const std::uint32_t groups = random.Below(2) == 0 ? 7 : 400;
    EncodedTable table{.rows = kRows, .quasi_identifiers = {}, .persons = std::nullopt};
    std::vector<Code> size_of;
    for (std::size_t c = 0; c < columns; ++c) {
      size_of.push_back(sizes[random.Below(turn % 2 == 0 ? 5 : 7)]);
      table.quasi_identifiers.emplace_back(size_of[c], kRows);
    }
    Classes draft{columns, {}, {}};
    for (std::size_t i = 0; i < groups * columns; ++i) {
      const Code size = size_of[i % columns];
      // Low boxes fit into 16 bits although codes may not.
      const Code lo = random.Below(turn % 4 == 1 ? std::min<Code>(size, 60'000) : size);
      draft.boxes.push_back({lo, lo + random.Below(std::min<Code>(size - lo, 90))});
    }
    for (std::size_t row = 0; row < kRows; ++row) {
      draft.of_row.push_back(random.Below(groups));
      for (std::size_t c = 0; c < columns; ++c) {
        const Interval interval = draft.box(draft.of_row[row])[c];
        table.quasi_identifiers[c].Set(row, interval.lo + random.Below(static_cast<std::uint32_t>(interval.size())));
      }
    }
    ASSERT_FALSE(FindFalseCell(table, draft)) << "turn " << turn;
    const std::size_t row = random.Below(kRows);
    const std::size_t column = random.Below(static_cast<std::uint32_t>(columns));
    const Interval interval = draft.box(draft.of_row[row])[column];
    const bool is_below = interval.hi + 1 == size_of[column] || (interval.lo > 0 && random.Below(2) == 0);
    if (is_below && interval.lo == 0) continue;
    const Code same_in_16_bits = table.quasi_identifiers[column][row] + 65'536;
    const Code wrong = same_in_16_bits < size_of[column] ? same_in_16_bits
                       : is_below                        ? random.Below(interval.lo)
                                  : interval.hi + 1 + random.Below(size_of[column] - interval.hi - 1);
    table.quasi_identifiers[column].Set(row, wrong);
    const auto cell = FindFalseCell(table, draft);
    ASSERT_TRUE(cell) << "turn " << turn;
    EXPECT_EQ(cell->row, row);
    EXPECT_EQ(cell->column, column);
  }
}

}  // namespace
}  // namespace pentimento::large_draft_test
