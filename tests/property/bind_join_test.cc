// The paper's Table 1, bound from labels, gives the join that brute force gives on the labels themselves.
#include "engine/xy/bind_join.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/xy/join_testing.h"
#include "oracle/xy_oracle.h"

namespace pentimento::bind_join_test {
namespace {

using namespace join_fixture;
namespace oj = oracle::join;

constexpr std::string_view kJobs = "Banker;Desk;*\nClerk;Desk;*\nDriver;Road;*\nEngineer;Road;*\n";
const std::vector<std::string> kJobOf = {"Banker", "Banker", "Clerk", "Driver", "Engineer"};
const std::vector<std::string> kDiseaseOf = {"Cancer", "Cancer", "HIV", "Cancer", "HIV"};

Case Table1(const std::vector<std::string>& published_jobs) {
  Case given({Texts("Pid", Role::kId, {"1", "2", "3", "4", "5"}),
              Categories("Name", "Alice;*\nBob;*\nCathy;*\n", {"Alice", "Alice", "Bob", "Bob", "Cathy"}),
              Categories("Job", kJobs, kJobOf), Texts("Class", Role::kClass, {"c1", "c1", "c2", "c3", "c4"})});
  given.earlier.push_back(
      Release("t2", {Categories("Job", kJobs, published_jobs), Texts("Disease", Role::kSensitive, kDiseaseOf)}));
  given.AskAnonymity({"t2"}, {"Name", "Job", "t2:Job"}, {"t2:Disease"});
  return given;
}

// The new release with these jobs, everything else as it is; earlier records one by one.
oj::Instance InstanceOf(const Case& given, const BoundJoin& join, const std::vector<std::string>& jobs) {
  oj::Instance instance;
  instance.releases.emplace_back();
  for (std::size_t row = 0; row < given.input.table.rows; ++row) {
    const Code name = given.input.table.quasi_identifiers[0][row];
    const Interval job = given.input.domains[1].ParseLabel(jobs[row]).value();
    instance.releases[0].push_back({{name, name}, {job.lo, job.hi}});
  }
  for (const EarlierRelease& earlier : join.releases.earlier) {
    instance.releases.emplace_back();
    for (std::size_t row = 0; row < earlier.rows(); ++row) {
      oj::Row cells;
      for (const Interval cell : earlier.row(row)) cells.push_back({cell.lo, cell.hi});
      instance.releases.back().insert(instance.releases.back().end(), earlier.records[row], cells);
    }
  }
  for (const CommonAttribute& attribute : join.releases.common) {
    oj::CommonAttribute common{{}, attribute.by_overlap};
    for (const ReleaseColumn column : attribute.columns) common.columns.push_back({column.release, column.column});
    instance.common.push_back(common);
  }
  return instance;
}

oj::Columns ColumnsOf(const std::vector<ReleaseColumn>& columns) {
  oj::Columns places;
  for (const ReleaseColumn column : columns) places.push_back({column.release, column.column});
  return places;
}

// Ancestors and the label itself, from the text of the taxonomy and not from its codes.
std::set<std::string> PathOf(const std::string& label) {
  static const std::map<std::string, std::string> kParent = {
      {"Banker", "Desk"}, {"Clerk", "Desk"}, {"Driver", "Road"}, {"Engineer", "Road"}, {"Desk", "*"}, {"Road", "*"}};
  std::set<std::string> path = {label};
  for (auto it = kParent.find(label); it != kParent.end(); it = kParent.find(it->second)) path.insert(it->second);
  return path;
}

bool OnOnePath(const std::string& a, const std::string& b) { return PathOf(a).contains(b) || PathOf(b).contains(a); }

TEST(BindJoin, Table1OfThePaperHasTheJoinThatThePaperPrints) {
  const Case given = Table1(kJobOf);
  const BoundJoin join = given.Bind().value();
  const oj::Instance instance = InstanceOf(given, join, kJobOf);
  EXPECT_EQ(oj::Join(instance).size(), 7U);
  const auto& claim = join.releases.anonymity.front();
  // Bob and HIV are one: the group {Bob, Clerk} meets a single disease.
  EXPECT_EQ(oj::FindLeastAnonymity(instance, ColumnsOf(claim.x), ColumnsOf(claim.y))->anonymity, 1U);
}

TEST(BindJoin, LabelsOfEveryLevelMatchWhereTheyLieOnOnePath) {
  const std::vector<std::vector<std::string>> recodings = {kJobOf,
                                                           {"Desk", "Desk", "Desk", "Driver", "Engineer"},
                                                           {"Banker", "Banker", "Clerk", "Road", "Road"},
                                                           {"Desk", "Desk", "Desk", "Road", "Road"},
                                                           {"*", "*", "*", "*", "*"}};
  for (const auto& there : recodings) {
    const Case given = Table1(there);
    const BoundJoin join = given.Bind().value();
    for (const auto& here : recodings) {
      std::size_t expected = 0;
      for (const std::string& a : here) {
        for (const std::string& b : there) expected += OnOnePath(a, b) ? 1 : 0;
      }
      EXPECT_EQ(oj::Join(InstanceOf(given, join, here)).size(), expected);
    }
  }
}

}  // namespace
}  // namespace pentimento::bind_join_test
