#include "engine/published/foreign_cells.h"

#include <gtest/gtest.h>

#include "engine/published/published_cells.h"

namespace pentimento::foreign_cells_test {
namespace {

using Texts = std::vector<std::string>;

// Each of `cells` is a row; equal ones have one code.
ValueColumn Column(const Texts& cells) {
  ValueColumn column{"age", CellType{}, cells, std::nullopt, {}};
  std::ranges::sort(column.values);
  const auto repeated = std::ranges::unique(column.values);
  column.values.erase(repeated.begin(), repeated.end());
  column.codes = CodeColumn(column.values.size(), cells.size());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto place = std::ranges::find(column.values, cells[row]);
    column.codes.Set(row, static_cast<Code>(place - column.values.begin()));
  }
  return column;
}

PublishedColumn Numbers(Decimal lo, Decimal hi) { return {"age", Role::kQuasiIdentifier, nullptr, std::pair(lo, hi)}; }
PublishedColumn Age() { return Numbers({0, 0}, {120, 0}); }
PublishedColumn Job() {
  static const auto taxonomy = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\n", "job.csv").value());
  return {"job", Role::kQuasiIdentifier, taxonomy, std::nullopt};
}

ForeignColumn Read(const PublishedColumn& column, const Texts& cells, const Texts& missing = {}) {
  return ReadForeignColumn(column, Column(cells), missing).value();
}

// By row, in our own labels.
Texts OwnCells(const PublishedColumn& column, const Texts& cells, const Texts& missing = {}) {
  const ValueColumn values = Column(cells);
  const ValueColumn own = InOwnLabels(ReadForeignColumn(column, values, missing).value(), values);
  Texts texts;
  for (std::size_t row = 0; row < own.codes.size(); ++row) texts.push_back(own.values[own.codes[row]]);
  return texts;
}

TEST(ReadForeignColumn, LabelsThatAreNotUnderstoodAreCountedAndNotShown) {
  const Texts cells = {"20-29", "old", "old", "20-10", "110-130", "{17, 23}", "old", "20-29", "2*"};
  const UnreadLabels unread = Read(Age(), cells).unread;
  EXPECT_EQ(unread.unknown.labels, 2U);
  EXPECT_EQ(unread.unknown.rows, 4U);
  EXPECT_EQ(unread.beyond.labels, 1U);
  EXPECT_EQ(unread.beyond.rows, 1U);
  EXPECT_EQ(unread.wider.labels, 2U);
  EXPECT_EQ(unread.wider.rows, 2U);
  EXPECT_EQ(unread.first_row, 1U);
  EXPECT_EQ(InWords(unread),
            "column 'age': 5 different labels in 7 rows are not understood (2 of no known form, 1 outside of its "
            "domain, 2 with gaps or two readings)");
  EXPECT_EQ(InWords(Read(Job(), {"Care", "Pilot"}).unread),
            "column 'job': 1 different label in 1 row is not understood (neither in its taxonomy nor of a known form)");
  EXPECT_TRUE(Read(Age(), {"20-29", ">=30"}).unread.empty());
}

// A set with gaps is a bound for who attacks, and nothing for who protects.
TEST(ReadForeignColumn, WiderLabelsKeepTheirBoundAndAreNotTranslated) {
  const ForeignColumn read = Read(Age(), {"{17, 23}"});
  EXPECT_EQ(read.of_code.front(), (ForeignLabel{LabelReading::kWider, {17, 23}}));
  EXPECT_EQ(read.own.front(), "");
  EXPECT_FALSE(read.unread.empty());
}

TEST(ReadForeignColumn, ADictionaryEntryThatNoRowHasIsNotCounted) {
  ValueColumn values = Column({"20-29", "old"});
  values.codes.Set(1, values.codes[0]);
  values.codes.Set(0, values.codes[1]);
  const UnreadLabels unread = ReadForeignColumn(Age(), values, {}).value().unread;
  EXPECT_EQ(unread.rows(), unread.labels() * 2);
  EXPECT_LE(unread.labels(), 1U);
}

TEST(ReadForeignColumn, MissingIsWhatThePolicyListsAndNothingElse) {
  for (const char* text : {"", "NA", "null", "?"}) {
    EXPECT_EQ(Read(Age(), {text}).unread.unknown.labels, 1U) << text;
    EXPECT_EQ(Read(Age(), {text}, {"N/A"}).unread.unknown.labels, 1U) << text;
    EXPECT_EQ(Read(Job(), {text}, {"N/A"}).unread.unknown.labels, 1U) << text;
    EXPECT_EQ(OwnCells(Age(), {text, "20-29"}, {text}), (Texts{"", "[20,29]"})) << text;
  }
}

TEST(ReadForeignColumn, NumbersAreAsFineAsTheLabelsNeedIt) {
  EXPECT_EQ(OwnCells(Age(), {"(20,30]", "(30,40]"}), (Texts{"[21,30]", "[31,40]"}));
  EXPECT_EQ(OwnCells(Age(), {"(20,30]", "(30,40.5]"}), (Texts{"[20.1,30]", "[30.1,40.5]"}));
  EXPECT_EQ(Read(Age(), {"(20,30]", "17.25"}).domain.range().scale, 2);
  EXPECT_EQ(OwnCells(Numbers({5, 1}, {10, 0}), {"(0.5,7]", ">7"}), (Texts{"[0.6,7]", "[7.1,10]"}));
}

// Four billion points and more: only the ends of the labels have codes.
TEST(ReadForeignColumn, InAWideDomainTheEndsOfLabelsAreItsPoints) {
  const PublishedColumn income = Numbers({0, 0}, {1'000'000'000'000, 0});
  const Texts cells = {"(20000, 30000]", "[30001, 40000[", ">=40000", "<=20000", "5***", "12.5"};
  const ForeignColumn read = Read(income, {"(20000, 30000]", "[30001, 40000[", ">=40000", "<=20000", "12.5"});
  EXPECT_FALSE(read.domain.range().points.empty());
  EXPECT_EQ(OwnCells(income, {"(20000, 30000]", "[30001, 40000[", ">=40000", "<=20000"}),
            (Texts{"[20001,30000]", "[30001,40000)", "[40000,1000000000000]", "[0,20000]"}));
  EXPECT_EQ(Read(income, cells).unread.labels(), 1U);  // among tenths nobody knows where the point of a mask is
}

TEST(ReadForeignColumn, NumbersThatDoNotFitAreCountedAndNoError) {
  const PublishedColumn wide = Numbers({0, 0}, {INT64_MAX, 0});
  EXPECT_EQ(Read(wide, {"0.000000000000000001", "5", "-9223372036854775807"}).unread.beyond.labels, 2U);
  EXPECT_TRUE(Read(wide, {"(0.5, 9223372036854775807]", "9223372036854775807"}).unread.empty());
}

TEST(InOwnLabels, SpellingsOfOneLabelBecomeOne) {
  const ValueColumn values = Column({"{Nurse, Doctor}", "Care", "{Doctor|Nurse}", "Clerk", "Doctor|Clerk", "Clerk "});
  const ValueColumn own = InOwnLabels(ReadForeignColumn(Job(), values, {}).value(), values);
  EXPECT_EQ(own.values, (Texts{"Care", "Clerk", "{Doctor|Clerk}", "{Doctor|Nurse}"}));
  EXPECT_EQ(OwnCells(Job(), {"{Nurse, Doctor}", "Care"}), (Texts{"Care", "Care"}));
}

// Whoever reads the translated column with the strict reader finds what the labels stand for.
TEST(InOwnLabels, StrictReadersFindTheSameValues) {
  const Texts cells = {"20-29", "[30, 40[", "(40.5, 50]", ">=51", "*", "17", "{18}", "<17", "[0,5)", ""};
  const ForeignColumn read = Read(Age(), cells, {""});
  const ValueColumn values = Column(cells);
  const ValueColumn own = InOwnLabels(read, values);
  PublishedColumn column = Age();
  column.scale = read.domain.range().scale;
  const Domain strict = DomainOfLabels(column, {&own.values}, true).value();
  EXPECT_EQ(strict.range().scale, read.domain.range().scale);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto codes = strict.ParseLabel(own.values[own.codes[row]]);
    EXPECT_EQ(codes, read.of_code[values.codes[row]].codes) << cells[row];
  }
}

}  // namespace
}  // namespace pentimento::foreign_cells_test
