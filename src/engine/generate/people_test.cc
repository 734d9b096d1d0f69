#include "engine/generate/people.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"

namespace pentimento::people_test {
namespace {

constexpr std::uint64_t kSomeRows = 20'000;

struct People {
  std::vector<std::vector<std::string>> columns = std::vector<std::vector<std::string>>(kPeopleColumns.size());

  std::size_t rows() const { return columns[0].size(); }
  const std::vector<std::string>& operator[](std::string_view name) const {
    return columns[std::find(kPeopleColumns.begin(), kPeopleColumns.end(), name) - kPeopleColumns.begin()];
  }
  int Number(std::string_view name, std::size_t row) const { return std::stoi((*this)[name][row]); }
  std::map<std::string, std::size_t> RowOfPerson() const {
    std::map<std::string, std::size_t> rows_by_person;
    for (std::size_t row = 0; row < rows(); ++row) rows_by_person[(*this)["person"][row]] = row;
    return rows_by_person;
  }
  std::map<std::string, double> Frequencies(std::string_view name) const {
    std::map<std::string, double> frequencies;
    for (const std::string& value : (*this)[name]) frequencies[value] += 1.0 / static_cast<double>(rows());
    return frequencies;
  }
};

std::string CellText(const ArrowArray& column, std::int64_t row) {
  const auto* numbers = static_cast<const std::int64_t*>(column.buffers[1]);
  if (column.n_buffers == 2) return std::to_string(numbers[row]);
  const auto* offsets = static_cast<const std::int32_t*>(column.buffers[1]);
  const auto* bytes = static_cast<const char*>(column.buffers[2]);
  return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
}

People Generate(const PeopleOptions& options) {
  People people;
  ArrowArrayStream stream = PeopleGenerator::Create(options)->OpenStream();
  while (true) {
    ArrowArray batch;
    EXPECT_EQ(stream.get_next(&stream, &batch), 0);
    if (batch.release == nullptr) break;
    for (std::size_t i = 0; i < people.columns.size(); ++i) {
      for (std::int64_t row = 0; row < batch.length; ++row)
        people.columns[i].push_back(CellText(*batch.children[i], row));
    }
    batch.release(&batch);
  }
  stream.release(&stream);
  return people;
}

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int follow = lead < 0x80 ? 0 : lead >> 5 == 0x6 ? 1 : lead >> 4 == 0xe ? 2 : lead >> 3 == 0x1e ? 3 : -1;
    if (follow < 0) return false;
    for (int k = 0; k < follow; ++k, ++i) {
      if (i == text.size() || static_cast<unsigned char>(text[i]) >> 6 != 0x2) return false;
    }
  }
  return true;
}

TEST(People, TheSameSeedGivesTheSamePeopleAndAnotherSeedOthers) {
  EXPECT_EQ(Generate({.rows = kSomeRows, .seed = 3}).columns, Generate({.rows = kSomeRows, .seed = 3}).columns);
  const People one = Generate({.rows = kSomeRows, .seed = 3}), other = Generate({.rows = kSomeRows, .seed = 4});
  for (const char* name : {"person", "age", "zip", "job", "disease", "weight"})
    EXPECT_NE(one[name], other[name]) << name;
}

TEST(People, TheNumberOfThreadsChangesNothing) {
  const PeopleOptions options = {.rows = 3 * PeopleGenerator::kBlockRows};
  const People many = Generate(options);
  const ThreadLimit one_thread(1);
  EXPECT_EQ(Generate(options).columns, many.columns);
}

TEST(People, ASmallerTableIsTheBeginningOfALargerOne) {
  for (const std::uint32_t quarter : {0U, 7U}) {
    const std::uint64_t rows = PeopleGenerator::kBlockRows + 100;
    const People small = Generate({.rows = rows, .quarter = quarter});
    People large = Generate({.rows = 3 * rows, .quarter = quarter});
    ASSERT_EQ(small.rows(), rows);
    for (auto& column : large.columns) column.resize(rows);
    EXPECT_EQ(small.columns, large.columns);
  }
}

TEST(People, PersonsAreUniqueAndTheirIdsFollowNoOrder) {
  for (const std::uint32_t quarter : {0U, 1U, people::kLastQuarter}) {
    const People people = Generate({.rows = 150'000, .quarter = quarter});
    const std::set<std::string> persons(people["person"].begin(), people["person"].end());
    EXPECT_EQ(persons.size(), people.rows());
    std::size_t ascents = 0;
    for (std::size_t row = 1; row < people.rows(); ++row) ascents += people["person"][row - 1] < people["person"][row];
    EXPECT_NEAR(static_cast<double>(ascents) / static_cast<double>(people.rows()), 0.5, 0.02);
    EXPECT_EQ(people["person"][0].size(), 9U);
  }
}

TEST(People, WhoSomebodyIsNeverChangesAndAYearMakesAYearOlder) {
  const People first = Generate({.rows = kSomeRows});
  const auto rows = first.RowOfPerson();
  for (const std::uint32_t quarter : {1U, 4U, 12U, people::kLastQuarter}) {
    const People later = Generate({.rows = kSomeRows, .quarter = quarter});
    for (std::size_t row = 0; row < later.rows(); ++row) {
      const auto found = rows.find(later["person"][row]);
      if (found == rows.end()) continue;
      for (const char* name : {"sex", "origin", "weight"}) ASSERT_EQ(first[name][found->second], later[name][row]);
      const int years = later.Number("age", row) - first.Number("age", found->second);
      ASSERT_GE(years, static_cast<int>(quarter / 4));
      ASSERT_LE(years, static_cast<int>((quarter + 3) / 4));
    }
  }
}

TEST(People, HomesAndJobsChangeSometimesAndDiseasesOften) {
  const People before = Generate({.rows = kSomeRows}), after = Generate({.rows = kSomeRows, .quarter = 1});
  const auto rows = before.RowOfPerson();
  std::map<std::string, double> changed;
  double stayed = 0;
  for (std::size_t row = 0; row < after.rows(); ++row) {
    const auto found = rows.find(after["person"][row]);
    if (found == rows.end()) continue;
    stayed += 1;
    for (const char* name : {"zip", "job", "marital", "disease"})
      changed[name] += before[name][found->second] != after[name][row];
  }
  EXPECT_NEAR(stayed / kSomeRows, 0.98, 0.005);
  EXPECT_NEAR(changed["zip"] / stayed, 0.025, 0.01);
  EXPECT_NEAR(changed["job"] / stayed, 0.03, 0.015);
  EXPECT_GT(changed["marital"], 0);
  EXPECT_LT(changed["marital"] / stayed, 0.03);
  EXPECT_NEAR(changed["disease"] / stayed, 0.8, 0.05);
}

// How many times as often as everybody those have a disease who had it a quarter before.
std::map<std::string, double> PersistenceOfDiseases(const PeopleOptions& options) {
  PeopleOptions earlier = options;
  --earlier.quarter;
  const People before = Generate(earlier), after = Generate(options);
  const auto rows = before.RowOfPerson();
  std::map<std::string, double> had, again, ratios;
  for (std::size_t row = 0; row < after.rows(); ++row) {
    const auto found = rows.find(after["person"][row]);
    if (found == rows.end()) continue;
    const std::string& disease = before["disease"][found->second];
    had[disease] += 1;
    again[disease] += after["disease"][row] == disease ? 1 : 0;
  }
  const auto frequencies = after.Frequencies("disease");
  for (const auto& [disease, people] : had) ratios[disease] = again[disease] / people / frequencies.at(disease);
  return ratios;
}

TEST(People, DiseasesThatComeAndGoAreDrawnAnewAndOthersStay) {
  for (const std::uint32_t quarter : {1U, 2U, 20U}) {
    const auto ratios = PersistenceOfDiseases({.rows = 100'000, .quarter = quarter});
    // Who has none of those that stay is left for the others, and the old have more of some than the young: so a little
    // above 1 is no persistence.
    for (const char* passing : {"Flu", "Bronchitis", "Depression", "Pneumonia", "Migraine"}) {
      EXPECT_GT(ratios.at(passing), 0.8) << passing;
      EXPECT_LT(ratios.at(passing), 2.2) << passing;
    }
    for (const char* chronic : {"HIV", "Cancer", "Diabetes"}) EXPECT_GT(ratios.at(chronic), 10) << chronic;
  }
}

TEST(People, DiseasesStayAsFrequentAsTheyWere) {
  const auto first = Generate({.rows = 100'000}).Frequencies("disease");
  const auto later = Generate({.rows = 100'000, .quarter = 12}).Frequencies("disease");
  for (const char* disease : {"Flu", "Depression", "Pneumonia", "Diabetes", "HIV"})
    EXPECT_NEAR(later.at(disease) / first.at(disease), 1, 0.25) << disease;
}

TEST(People, DiseasesCanBeMadeToStay) {
  const auto ratios = PersistenceOfDiseases({.rows = 100'000, .quarter = 2, .stay = 30});
  EXPECT_GT(ratios.at("Depression"), 5);  // 0.3 and a little more, where a twentieth has it
  EXPECT_EQ(Generate({.rows = kSomeRows, .stay = 30}).columns, Generate({.rows = kSomeRows}).columns);
}

TEST(People, WhoeverLeavesStaysAway) {
  std::set<std::string> gone, present;
  for (const std::uint32_t quarter : {0U, 1U, 2U, 3U, 20U, people::kLastQuarter}) {
    const People people = Generate({.rows = kSomeRows, .quarter = quarter});
    const std::set<std::string> now(people["person"].begin(), people["person"].end());
    for (const std::string& person : present) {
      if (!now.contains(person)) gone.insert(person);
    }
    for (const std::string& person : now) ASSERT_FALSE(gone.contains(person));
    present = now;
  }
  EXPECT_NEAR(static_cast<double>(gone.size()), kSomeRows * 0.8, kSomeRows * 0.02);
}

TEST(People, FrequenciesAreSkewedAsInRealRegisters) {
  const People people = Generate({.rows = 200'000});
  const auto disease = people.Frequencies("disease");
  EXPECT_EQ(disease.size(), people::Diseases().size());
  EXPECT_GT(disease.at("Flu"), 0.15);
  EXPECT_LT(disease.at("Tuberculosis"), 0.002);
  EXPECT_NEAR(people.Frequencies("sex").at("Female"), 0.5, 0.01);
  EXPECT_NEAR(people.Frequencies("income").at(">50K"), 0.17, 0.04);
  EXPECT_NEAR(people.Frequencies("origin").at("United States"), 0.78, 0.03);
  EXPECT_EQ(people.Frequencies("zip").size(), 2000U);
  EXPECT_EQ(people.Frequencies("job").size(), people::Jobs().size());
  EXPECT_EQ(people.Frequencies("education").size(), people::Educations().size());
  EXPECT_EQ(people.Frequencies("marital").size(), people::MaritalStatuses().size());
  EXPECT_EQ(people.Frequencies("origin").size(), people::Countries().size());
  EXPECT_GT(people.Frequencies("note").size(), 10'000U);
}

TEST(People, IncomeCanBeLearnedFromSchooling) {
  const People people = Generate({.rows = 100'000});
  std::map<std::string, std::pair<double, double>> high_of_all;
  for (std::size_t row = 0; row < people.rows(); ++row) {
    auto& [high, all] = high_of_all[people["education"][row]];
    high += people["income"][row] == ">50K";
    all += 1;
  }
  const auto share = [&](const char* education) {
    return high_of_all[education].first / high_of_all[education].second;
  };
  EXPECT_GT(share("Doctorate"), 3 * share("High school diploma"));
  EXPECT_GT(share("Bachelor"), 2 * share("Vocational certificate"));
  EXPECT_LT(share("Grades 5-8"), 0.05);
}

TEST(People, ChildrenAreAtSchoolUnmarriedAndWithoutWork) {
  const People people = Generate({.rows = kSomeRows, .quarter = 5});
  for (std::size_t row = 0; row < people.rows(); ++row) {
    if (people.Number("age", row) >= 18) continue;
    ASSERT_EQ(people["marital"][row], "Never married");
    ASSERT_EQ(people["hours"][row], "0");
    ASSERT_TRUE(people["job"][row] == "Pupil" || people["job"][row] == "Preschool child");
  }
}

TEST(People, VisitsLieInTheQuarter) {
  // Quarter 8 is the first of the leap year 2028, quarter 3 the last of 2026.
  for (const auto& [quarter, from, to] :
       {std::tuple{0U, "2026-01-01", "2026-03-31"}, std::tuple{3U, "2026-10-01", "2026-12-31"},
        std::tuple{8U, "2028-01-01", "2028-03-31"}}) {
    const People people = Generate({.rows = kSomeRows, .quarter = quarter});
    const auto [first, last] = std::minmax_element(people["visit"].begin(), people["visit"].end());
    EXPECT_EQ(*first, from);
    EXPECT_LE(*last, to);
    EXPECT_EQ(people.Frequencies("visit").contains("2028-02-29"), quarter == 8);
  }
}

TEST(People, TextsAreUtf8AndSomeNotesNeedQuoting) {
  const People people = Generate({.rows = kSomeRows});
  bool comma = false, quote = false, beyond_ascii = false;
  for (const auto& column : people.columns) {
    for (const std::string& cell : column) {
      ASSERT_TRUE(IsUtf8(cell));
      ASSERT_FALSE(cell.empty());
      ASSERT_EQ(cell.find('\n'), std::string::npos);
    }
  }
  for (const std::string& note : people["note"]) {
    comma |= note.find(',') != std::string::npos;
    quote |= note.find('"') != std::string::npos;
    beyond_ascii |= std::any_of(note.begin(), note.end(), [](char c) { return static_cast<unsigned char>(c) > 127; });
  }
  EXPECT_TRUE(comma && quote && beyond_ascii);
}

TEST(People, TypedColumnsHoldTheSameNumbers) {
  EXPECT_EQ(Generate({.rows = 1000, .typed = true}).columns, Generate({.rows = 1000}).columns);
}

TEST(People, TheSchemaNamesFifteenColumns) {
  for (const bool typed : {false, true}) {
    ArrowArrayStream stream = PeopleGenerator::Create({.rows = 10, .typed = typed})->OpenStream();
    ArrowSchema schema;
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.format, "+s");
    ASSERT_EQ(schema.n_children, 15);
    for (std::size_t i = 0; i < kPeopleColumns.size(); ++i) {
      const std::string_view name = schema.children[i]->name;
      EXPECT_EQ(name, kPeopleColumns[i]);
      EXPECT_STREQ(schema.children[i]->format, typed && (name == "age" || name == "hours") ? "l" : "u");
    }
    schema.release(&schema);
    stream.release(&stream);
  }
}

TEST(People, BatchesAreWhatTheArrowInterfaceAsksFor) {
  const std::uint64_t rows = PeopleGenerator::kBlockRows + 5;
  ArrowArrayStream stream = PeopleGenerator::Create({.rows = rows})->OpenStream();
  for (const std::int64_t expected : {static_cast<std::int64_t>(PeopleGenerator::kBlockRows), std::int64_t{5}}) {
    ArrowArray batch;
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
    ASSERT_EQ(batch.length, expected);
    ASSERT_EQ(batch.n_children, 15);
    ASSERT_EQ(batch.n_buffers, 1);
    for (std::int64_t i = 0; i < batch.n_children; ++i) {
      const ArrowArray& column = *batch.children[i];
      EXPECT_EQ(column.length, expected);
      EXPECT_EQ(column.null_count, 0);
      EXPECT_EQ(column.offset, 0);
      ASSERT_EQ(column.n_buffers, 3);
      EXPECT_EQ(column.buffers[0], nullptr);
      const auto* offsets = static_cast<const std::int32_t*>(column.buffers[1]);
      EXPECT_EQ(offsets[0], 0);
      EXPECT_TRUE(std::is_sorted(offsets, offsets + expected + 1));
    }
    batch.release(&batch);
    EXPECT_EQ(batch.release, nullptr);
  }
  ArrowArray end;
  ASSERT_EQ(stream.get_next(&stream, &end), 0);
  EXPECT_EQ(end.release, nullptr);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(People, AStreamMayBeDroppedHalfWayAndAColumnMovedOut) {
  ArrowArrayStream stream = PeopleGenerator::Create({.rows = 3 * PeopleGenerator::kBlockRows})->OpenStream();
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  ArrowArray moved = *batch.children[3];
  batch.children[3]->release = nullptr;
  batch.release(&batch);
  stream.release(&stream);
  EXPECT_EQ(CellText(moved, 0).size(), 5U);
  moved.release(&moved);
}

TEST(People, NobodyIsATableToo) { EXPECT_EQ(Generate({.rows = 0}).rows(), 0U); }

TEST(People, WhatCannotBeMadeIsRefused) {
  EXPECT_FALSE(PeopleGenerator::Create({.stay = 101}).ok());
  EXPECT_EQ(PeopleGenerator::Create({.rows = 2'000'000'000}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(PeopleGenerator::Create({.quarter = people::kLastQuarter + 1}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace pentimento::people_test
