#include "engine/generate/people_batches.h"

#include <gtest/gtest.h>

#include <fstream>

#include "policy/policy.h"

namespace pentimento::people_batches_test {
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
}  // namespace pentimento::people_batches_test
