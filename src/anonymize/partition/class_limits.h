// What every part of a cut has to keep where sensitive values are limited.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "anonymize/partition/limit_lanes.h"
#include "anonymize/partition/wide_limit_lanes.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento::partition {

struct ClassLimits {
  ClassLimits(SensitiveRule of_table, std::vector<std::uint32_t> rows)
      : rule(std::move(of_table)), lanes(rule), wide_lanes(rule), rows_of_person(std::move(rows)) {}

  SensitiveRule rule;
  LimitLanes lanes;
  WideLimitLanes wide_lanes;
  // How many rows each person has in the whole table; empty where nobody has two.
  std::vector<std::uint32_t> rows_of_person;

  // Counts everybody as having as many rows as whoever has most. Then any groups may be joined: see algorithm.md.
  void TreatAllAlike();
};

// kRefused where the whole table is no legal class. Where everybody has one row, nothing is then; where somebody has
// several the rule is stricter than the promise, and finer classes that keep it are not looked for.
Result<ClassLimits> LimitsOf(const EncodedTable& table, const Signatures& signatures, std::uint64_t k);

// Whether every group of rows keeps the limits.
bool AllKeep(const ClassLimits& limits, const EncodedTable& table, const Signatures& signatures,
             std::span<const ClassNumber> class_of_row, std::size_t groups);

}  // namespace pentimento::partition
