#include "engine/generate/people_project.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "base/decimal.h"
#include "engine/generate/vocabulary.h"
#include "policy/policy.h"
#include "taxonomy/taxonomy.h"

namespace pentimento::people_project_test {
namespace {

class PeopleProject : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("people_project_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// Whether the policy would accept a value of a quasi-identifier.
bool Allows(const ColumnPolicy& column, const std::optional<Taxonomy>& taxonomy, const std::string& value) {
  if (taxonomy) return taxonomy->FindLeaf(value).has_value();
  if (!column.domain) return std::find(column.values.begin(), column.values.end(), value) != column.values.end();
  const std::int64_t number = ParseDecimal(value)->units;
  return column.domain->first.units <= number && number <= column.domain->second.units;
}

std::string CellText(const ArrowArray& column, std::int64_t row) {
  const auto* offsets = static_cast<const std::int32_t*>(column.buffers[1]);
  const auto* bytes = static_cast<const char*>(column.buffers[2]);
  return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
}

TEST_F(PeopleProject, HoldsATableAPolicyAndTaxonomies) {
  for (const auto& [format, name] :
       {std::pair{FileFormat::kCsv, "people.csv"}, std::pair{FileFormat::kParquet, "people.parquet"}}) {
    ASSERT_TRUE(WritePeopleProject(folder_ / name, {.rows = 100, .quarter = 2}, format).ok());
    EXPECT_GT(std::filesystem::file_size(folder_ / name / name), 1000U);
    const Result<Policy> policy = ReadPolicy(folder_ / name / "policy.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    EXPECT_EQ(policy->release, "people-q3");
    EXPECT_EQ(policy->format, format);
    ASSERT_EQ(policy->inputs.size(), 1U);
    EXPECT_TRUE(std::filesystem::equivalent(policy->inputs[0], folder_ / name / name));
    ASSERT_EQ(policy->columns.size(), kPeopleColumns.size());
    for (std::size_t i = 0; i < kPeopleColumns.size(); ++i) {
      EXPECT_EQ(policy->columns[i].name, kPeopleColumns[i]);
      EXPECT_EQ(policy->columns[i].role == Role::kQuasiIdentifier, i >= 1 && i <= 8);
    }
  }
}

TEST_F(PeopleProject, EveryValueStandsInTheTaxonomiesAndDomains) {
  for (const std::uint32_t quarter : {0U, 9U, people::kLastQuarter}) {
    const PeopleOptions options = {.rows = 30'000, .seed = 5 + quarter, .quarter = quarter};
    const std::filesystem::path folder = folder_ / std::to_string(quarter);
    ASSERT_TRUE(WritePeopleProject(folder, options, FileFormat::kCsv).ok());
    const Result<Policy> policy = ReadPolicy(folder / "policy.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    ArrowArray batch = PeopleGenerator::Create(options)->MakeBlock(0);
    for (std::size_t i = 1; i <= 8; ++i) {
      const ColumnPolicy& column = policy->columns[i];
      std::optional<Taxonomy> taxonomy;
      if (column.taxonomy) taxonomy = Taxonomy::ReadFile(*column.taxonomy).value();
      for (std::int64_t row = 0; row < batch.length; ++row) {
        const std::string value = CellText(*batch.children[i], row);
        ASSERT_TRUE(Allows(column, taxonomy, value)) << column.name << " " << value;
      }
    }
    batch.release(&batch);
  }
}

TEST_F(PeopleProject, OverwritesNothing) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "policy.toml") << "mine";
  const Result<void> written = WritePeopleProject(folder_, {.rows = 10}, FileFormat::kCsv);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "people.csv"));
}

TEST(PeopleVocabulary, TaxonomiesHaveTheShapeTheyPromise) {
  const std::map<std::string, std::pair<std::string, std::size_t>> leaves_by_name = {
      {"job", {people::JobTaxonomy(), 64}},
      {"education", {people::EducationTaxonomy(), 16}},
      {"origin", {people::CountryTaxonomy(), 42}},
      {"zip", {people::ZipTaxonomy(), 2000}},
  };
  for (const auto& [name, expected] : leaves_by_name) {
    const Result<Taxonomy> taxonomy = Taxonomy::Parse(expected.first, name);
    ASSERT_TRUE(taxonomy.ok()) << taxonomy.error().message;
    EXPECT_EQ(taxonomy->leaf_count(), expected.second) << name;
    EXPECT_EQ(taxonomy->height(), name == "zip" ? 4U : 3U) << name;
  }
  EXPECT_TRUE(people::ZipTaxonomy().starts_with("10001;1000*;100**;10***;*\n"));
}

}  // namespace

namespace {

std::vector<std::string> LinesOf(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

TEST(PeopleBatches, HoldEverybodyOnceInOrderUnderTheSameHeader) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "people_batches";
  std::filesystem::remove_all(folder);
  const std::vector<PeopleBatch> batches = {{"first", 30}, {"second", 12}};
  ASSERT_TRUE(WritePeopleBatches(folder, batches, "clinic", 1).ok());
  std::vector<std::string> together = LinesOf(folder / "first.csv");
  EXPECT_EQ(together.size(), 31U);
  const std::vector<std::string> second = LinesOf(folder / "second.csv");
  ASSERT_EQ(second.size(), 13U);
  EXPECT_EQ(second.front(), together.front());
  together.insert(together.end(), second.begin() + 1, second.end());
  EXPECT_EQ(together, LinesOf(folder / "people.csv"));

  const Result<Policy> alone = ReadPolicy(folder / "second-alone.toml"), next = ReadPolicy(folder / "second.toml");
  ASSERT_TRUE(alone.ok() && next.ok());
  EXPECT_EQ(alone->release, "second");
  EXPECT_EQ(alone->inputs, (std::vector{folder / "first.csv", folder / "second.csv"}));
  EXPECT_TRUE(std::holds_alternative<KAnonymityPolicy>(alone->guarantees.front()));
  EXPECT_EQ(next->inputs, std::vector{folder / "second.csv"});
  EXPECT_EQ(std::get<IncrementalKAnonymityPolicy>(next->guarantees.front()).series, "clinic");
  std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace pentimento::people_project_test
