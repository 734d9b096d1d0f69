#include "guarantee/form/two_tables_form.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace pentimento::two_tables_form_test {
namespace {

CodeColumn ColumnOf(const std::vector<Code>& codes, std::uint64_t size) {
  CodeColumn column(size, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

// The paper's Tables 5 and 6, and a second sensitive column. Rows lie in no order of classes.
struct Published {
  EncodedTable table{.rows = 6, .quasi_identifiers = {}, .persons = std::nullopt};
  CodeColumn illness = ColumnOf({0, 1, 1, 2, 1, 2}, 3);
  CodeColumn income = ColumnOf({0, 0, 1, 0, 1, 1}, 2);
  Draft tables{.classes = ClassesWithoutBoxes(3, {2, 0, 1, 1, 0, 2}),
               .sensitive = {{{0}, {0, 1, 1, 2, 2}, {1, 1, 2, 0, 2}, {2, 1, 1, 1, 1}},
                             {{1}, {0, 0, 1, 1, 2, 2}, {0, 1, 0, 1, 0, 1}, {1, 1, 1, 1, 1, 1}}}};

  static Draft Combined() {
    return {.classes = ClassesWithoutBoxes(3, {2, 0, 1, 1, 0, 2}),
            .sensitive = {{{0, 1}, {0, 0, 1, 1, 2, 2}, {1, 0, 1, 1, 1, 1, 2, 0, 0, 0, 2, 1}, {1, 1, 1, 1, 1, 1}}}};
  }
  std::string Malformation() const { return FindMalformation(table, 2, tables).value_or(""); }
  std::string Untruth() const {
    const CodeColumn* columns[] = {&illness, &income};
    return FindUntruth(columns, tables).value_or("");
  }
};

void ExpectMalformed(const Published& published, std::string_view words) {
  EXPECT_NE(published.Malformation().find(words), std::string::npos) << words << " in: " << published.Malformation();
}

TEST(Draft, AreWellFormedAndTrue) {
  Published published;
  EXPECT_EQ(published.Malformation(), "");
  EXPECT_EQ(published.Untruth(), "");
  published.tables = Published::Combined();
  EXPECT_EQ(published.Malformation(), "");
  EXPECT_EQ(published.Untruth(), "");
  published.table.persons = Persons{{0, 1, 2, 2, 1, 0}, 3};
  EXPECT_EQ(published.Malformation(), "");
}

TEST(Draft, OfAnEmptyTableAreEmpty) {
  Published published;
  published.table.rows = 0;
  published.illness = ColumnOf({}, 3);
  published.income = ColumnOf({}, 2);
  published.tables = {ClassesWithoutBoxes(0, {}), {{{0}, {}, {}, {}}, {{1}, {}, {}, {}}}};
  EXPECT_EQ(published.Malformation(), "");
  EXPECT_EQ(published.Untruth(), "");
}

TEST(Draft, HaveAClassForEveryRowAndARowForEveryClass) {
  Published short_one;
  short_one.tables.classes.of_row.pop_back();
  ExpectMalformed(short_one, "5 rows have a class, the table has 6");
  Published outside;
  outside.tables.classes.of_row[3] = 3;
  ExpectMalformed(outside, "row 4 of the input is in a class that is not there");
  Published empty;
  empty.tables.classes.without_boxes = 4;
  ExpectMalformed(empty, "class 4 has no row");
  empty.tables.classes.without_boxes = 4'000'000'000;
  ExpectMalformed(empty, "there are 4000000000 classes of 6 rows");
}

TEST(Draft, HavePersonsThatFitTheRows) {
  Published few;
  few.table.persons = Persons{{0, 1, 2, 2, 1}, 3};
  ExpectMalformed(few, "5 rows have a person, the table has 6");
  few.table.persons = Persons{{0, 1, 3, 2, 1, 0}, 3};
  ExpectMalformed(few, "row 3 of the table is about a person who is not counted");
}

TEST(Draft, HaveEverySensitiveColumnOnce) {
  Published lost;
  lost.tables.sensitive.pop_back();
  ExpectMalformed(lost, "sensitive column 2 is in 0 tables");
  Published twice;
  twice.tables.sensitive[1].columns = {0};
  ExpectMalformed(twice, "sensitive column 1 is in 2 tables");
  Published none;
  none.tables.sensitive[1].columns.clear();
  ExpectMalformed(none, "has no column");
  Published unknown;
  unknown.tables.sensitive[1].columns = {2};
  ExpectMalformed(unknown, "sensitive column 3 of 2");
  Published order;
  order.tables = Published::Combined();
  order.tables.sensitive[0].columns = {1, 0};
  ExpectMalformed(order, "not in order");
  order.tables.sensitive[0].columns = {1, 1};
  ExpectMalformed(order, "not in order");
}

TEST(Draft, HaveAsManyValuesAndClassesAsCounts) {
  Published values;
  values.tables.sensitive[0].values.pop_back();
  ExpectMalformed(values, "5 entries have 5 classes and 4 values of 1 columns");
  Published classes;
  classes.tables.sensitive[0].class_of_entry.push_back(2);
  ExpectMalformed(classes, "5 entries have 6 classes");
}

TEST(Draft, AreSortedByClassAndValueWithoutEqualEntries) {
  Published classes;
  classes.tables.sensitive[0].class_of_entry = {0, 2, 2, 1, 1};
  ExpectMalformed(classes, "entry 4 does not come after the one before it");
  Published values;
  std::swap(values.tables.sensitive[0].values[1], values.tables.sensitive[0].values[2]);
  ExpectMalformed(values, "entry 3 does not come after the one before it");
  Published equal;
  equal.tables.sensitive[0] = {{0}, {0, 0, 1, 1, 2, 2}, {1, 1, 1, 2, 0, 2}, {1, 1, 1, 1, 1, 1}};
  ExpectMalformed(equal, "entry 2 does not come after the one before it");
  Published combined;
  combined.tables = Published::Combined();
  std::swap(combined.tables.sensitive[0].values[1], combined.tables.sensitive[0].values[3]);
  ExpectMalformed(combined, "entry 2 does not come after the one before it");
}

TEST(Draft, CountNothingThatIsNotThereAndLeaveNoClassOut) {
  Published zero;
  zero.tables.sensitive[0] = {{0}, {0, 0, 1, 1, 2, 2}, {0, 1, 1, 2, 0, 2}, {0, 2, 1, 1, 1, 1}};
  ExpectMalformed(zero, "entry 1 counts nothing");
  Published outside;
  outside.tables.sensitive[0].class_of_entry.back() = 3;
  ExpectMalformed(outside, "entry 5 is of a class that is not there");
  Published missing;
  missing.tables.sensitive[0] = {{0}, {0, 2, 2}, {1, 0, 2}, {2, 1, 1}};
  ExpectMalformed(missing, "class 2 has no entry");
}

TEST(Draft, AddUpToTheSizesOfTheClasses) {
  Published more;
  more.tables.sensitive[0].count[0] = 3;
  ExpectMalformed(more, "class 1 has 2 rows, but counts that add up to 3");
  Published less;
  less.tables.sensitive[0].count[0] = 1;
  ExpectMalformed(less, "class 1 has 2 rows, but counts that add up to 1");
  // 2^64 - 1 and 3 are 2 only for those who count in 64 bits.
  Published around;
  around.tables.sensitive[0].count[1] = UINT64_MAX;
  around.tables.sensitive[0].count[2] = 3;
  ExpectMalformed(around, "class 2 has 2 rows, but counts that add up to 18446744073709551618");
}

TEST(Draft, ThatTellAnythingElseThanTheRowsAreFalse) {
  Published value;
  value.tables.sensitive[0].values[0] = 2;
  EXPECT_EQ(value.Malformation(), "");
  EXPECT_EQ(value.Untruth(),
            "class 1 is said to have other sensitive values than its rows have (row 2 of the input is in it)");
  Published nowhere;
  nowhere.tables.sensitive[0].values[0] = 300;
  EXPECT_NE(nowhere.Untruth(), "");
  nowhere.tables.sensitive[0].values[0] = UINT32_MAX;
  EXPECT_NE(nowhere.Untruth(), "");
  Published swapped_rows;
  std::swap(swapped_rows.tables.classes.of_row[0], swapped_rows.tables.classes.of_row[1]);
  EXPECT_EQ(swapped_rows.Malformation(), "");
  EXPECT_NE(swapped_rows.Untruth().find("class 1 "), std::string::npos);
  Published second;
  second.tables.sensitive[1].values[1] = 5;
  EXPECT_NE(second.Untruth(), "");
}

TEST(Draft, ThatCombineOtherValuesThanTheRowsAreFalse) {
  // Each column by itself is as the rows have it; the combinations are not.
  Published published;
  published.tables = Published::Combined();
  published.tables.sensitive[0].values = {1, 0, 1, 1, 1, 0, 2, 1, 0, 0, 2, 1};
  EXPECT_EQ(published.Malformation(), "");
  EXPECT_NE(published.Untruth().find("class 2 "), std::string::npos);
  published.tables = Published::Combined();
  published.tables.sensitive[0].values[11] = 900;
  EXPECT_NE(published.Untruth().find("class 3 "), std::string::npos);
  // Codes of one byte: 256 after a value would be numbered like 0 after the next one.
  published.tables = Published::Combined();
  published.tables.sensitive[0].values[6] = 1;
  published.tables.sensitive[0].values[7] = 256;
  EXPECT_EQ(published.Malformation(), "");
  EXPECT_NE(published.Untruth().find("class 2 "), std::string::npos);
}

TEST(Draft, AreVerifiedInManyTasksAlike) {
  constexpr std::uint32_t kClasses = 20'000;
  EncodedTable table{.rows = 3 * kClasses, .quasi_identifiers = {}, .persons = std::nullopt};
  CodeColumn column(70'000, table.rows);
  Draft tables{ClassesWithoutBoxes(kClasses, std::vector<ClassNumber>(table.rows)), {{{0}, {}, {}, {}}}};
  for (std::uint32_t row = 0; row < table.rows; ++row) {
    tables.classes.of_row[row] = row % kClasses;
    column.Set(row, row < kClasses ? 65'536 : row % kClasses);
  }
  for (std::uint32_t c = 0; c < kClasses; ++c) {
    tables.sensitive[0].class_of_entry.insert(tables.sensitive[0].class_of_entry.end(), {c, c});
    tables.sensitive[0].values.insert(tables.sensitive[0].values.end(), {c, 65'536});
    tables.sensitive[0].count.insert(tables.sensitive[0].count.end(), {2, 1});
  }
  const CodeColumn* columns[] = {&column};
  EXPECT_EQ(FindMalformation(table, 1, tables), std::nullopt);
  EXPECT_EQ(FindUntruth(columns, tables), std::nullopt);
  column.Set(2 * kClasses + 15'000, 7);
  column.Set(2 * kClasses + 16'000, 7);
  EXPECT_NE(FindUntruth(columns, tables)->find("class 15001 "), std::string::npos);
}

}  // namespace
}  // namespace pentimento::two_tables_form_test
