// For tests: who is unsafe, and the patients of the paper on incremental updates (Pei et al., Tables 1 to 6), as codes.
// A zip code is its last digit, so 2043* is [0, 9]; female is 0, male 1, NA both; an age is itself.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "audit/inference.h"
#include "release/incremental_history.h"

namespace pentimento {

// The cases in classes of fewer than k, ascending. Contradictory cases are not among them: they are listed apart.
inline std::vector<CaseNumber> UnsafeCases(const InferenceTable& table, std::uint64_t k) {
  std::vector<CaseNumber> unsafe;
  for (std::size_t i = 0; i < table.inferred.cases.size(); ++i) {
    if (table.class_sizes[table.inferred.box_of_case[i]] < k) unsafe.push_back(table.inferred.cases[i]);
  }
  return unsafe;
}

}  // namespace pentimento

namespace pentimento::paper {

// From one box per case, as the paper prints its tables. Every row gets a box of its own: equal boxes are for the
// reader to notice.
inline IncrementalRelease Publish(const std::map<CaseNumber, Box>& rows) {
  IncrementalRelease release;
  for (const auto& [number, box] : rows) {
    release.columns = box.size();
    release.boxes.insert(release.boxes.end(), box.begin(), box.end());
    release.box_of_case.push_back(static_cast<std::uint32_t>(release.cases.size()));
    release.cases.push_back(number);
  }
  return release;
}

inline Box Patient(Interval zip, Interval gender, Interval age) { return {zip, gender, age}; }

inline constexpr Interval k2043x = {0, 9}, k20433 = {3, 3}, k20435 = {5, 5}, k20437 = {7, 7};
inline constexpr Interval kFemale = {0, 0}, kMale = {1, 1}, kNotAvailable = {0, 1};
inline constexpr Interval Years(Code from, Code to) { return {from, to}; }
inline constexpr Interval Years(Code age) { return {age, age}; }

// Tables 1 and 3: who they are. Anna, Bob, Carol and Daisy; Eddy and Frank.
inline const std::map<CaseNumber, Box> kTable1 = {{1, Patient(k20433, kFemale, Years(21))},
                                                  {2, Patient(k20437, kMale, Years(48))},
                                                  {3, Patient(k20433, kFemale, Years(26))},
                                                  {4, Patient(k20437, kFemale, Years(31))}};
inline const std::map<CaseNumber, Box> kTable3 = {{5, Patient(k20437, kMale, Years(54))},
                                                  {6, Patient(k20435, kFemale, Years(31))}};

// Table 2 is the first release. Table 4 publishes the update by itself, Table 5 everybody anew.
inline const std::map<CaseNumber, Box> kTable2 = {{1, Patient(k2043x, kNotAvailable, Years(21, 48))},
                                                  {2, Patient(k2043x, kNotAvailable, Years(21, 48))},
                                                  {3, Patient(k2043x, kFemale, Years(26, 31))},
                                                  {4, Patient(k2043x, kFemale, Years(26, 31))}};
inline const std::map<CaseNumber, Box> kTable4 = {{5, Patient(k2043x, kNotAvailable, Years(31, 54))},
                                                  {6, Patient(k2043x, kNotAvailable, Years(31, 54))}};
inline const std::map<CaseNumber, Box> kTable5 = {
    {1, Patient(k20433, kFemale, Years(21, 26))}, {2, Patient(k20437, kMale, Years(48, 54))},
    {3, Patient(k20433, kFemale, Years(21, 26))}, {4, Patient(k2043x, kFemale, Years(31))},
    {5, Patient(k20437, kMale, Years(48, 54))},   {6, Patient(k2043x, kFemale, Years(31))}};

// What Tables 2 and 5 give away together.
inline const std::map<CaseNumber, Box> kTable6 = {
    {1, Patient(k20433, kFemale, Years(21, 26))}, {2, Patient(k20437, kMale, Years(48))},
    {3, Patient(k20433, kFemale, Years(26))},     {4, Patient(k2043x, kFemale, Years(31))},
    {5, Patient(k20437, kMale, Years(48, 54))},   {6, Patient(k2043x, kFemale, Years(31))}};

// Every row of two tables that share nobody.
inline std::map<CaseNumber, Box> Together(std::map<CaseNumber, Box> rows, const std::map<CaseNumber, Box>& more) {
  rows.insert(more.begin(), more.end());
  return rows;
}

// A release of cases that have one column.
inline IncrementalRelease OneColumn(const std::map<CaseNumber, Interval>& rows) {
  std::map<CaseNumber, Box> boxes;
  for (const auto& [number, interval] : rows) boxes[number] = {interval};
  return Publish(boxes);
}

}  // namespace pentimento::paper
