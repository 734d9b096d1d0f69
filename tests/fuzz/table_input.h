// A file that claims to be a table, read as `release` reads it: header, stream, codes.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/parallel.h"
#include "engine/bind/bind.h"
#include "files/table_file.h"
#include "fuzz/fuzz.h"
#include "io/encode.h"
#include "taxonomy/taxonomy.h"

namespace pentimento::fuzz {

inline Result<EncodedInput> Encode(const std::filesystem::path& file, const TextSetting& setting,
                                   const EncodePlan& plan) {
  EncodeOptions options;
  options.spill_folder = Folder();
  options.keep_memory = 256;  // so that small tables go through a file, too
  Result<EncodedInput> input = EncodeTable(OpenInputs({TableFile(file, setting)}, plan), plan, options);
  if (!Took(input)) return input;
  for (const ValueColumn& column : input->values)
    for (std::size_t row = 0; row < input->table.rows; ++row)
      Require(column.codes[row] < column.values.size(), "a code has a value");
  return input;
}

// The columns of the header that a policy could name: each once, and not more than a few.
inline std::vector<std::string> NamesIn(const std::filesystem::path& file, const TextSetting& setting) {
  constexpr std::size_t kColumns = 6;
  const Result<std::vector<std::string>> header = ReadColumnNames(TableFile(file, setting));
  if (!Took(header)) return {};
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::string& name : *header)
    if (seen.insert(name).second && names.size() < kColumns) names.push_back(name);
  return names;
}

// A taxonomy of what the column holds, so that every cell finds its leaf; nothing where that cannot be.
inline std::shared_ptr<const Taxonomy> TaxonomyOf(const ValueColumn& column) {
  if (!column.type.is_text()) return nullptr;
  std::vector<std::string> values;
  for (const std::string& value : column.values)
    if (!value.empty() && value != "*") values.push_back(value);
  Result<Taxonomy> taxonomy = Taxonomy::Flat(values);
  return taxonomy.ok() ? std::make_shared<const Taxonomy>(std::move(taxonomy).value()) : nullptr;
}

// Every role sees every kind of cell: first all columns are values, then quasi-identifiers, then the others.
inline void EncodeInEveryRole(const std::filesystem::path& file, const TextSetting& setting = {},
                              const CellReading& reading = {}) {
  // Small tables gain nothing from threads, and a finding should be found again.
  static const ThreadLimit one_thread(1);
  SetArrowThreads(1);
  const std::vector<std::string> names = NamesIn(file, setting);
  if (names.empty()) return;
  EncodePlan plan;
  plan.missing = {"", "?"};
  plan.unites_sensitive_values = true;
  for (const std::string& name : names) plan.columns.push_back({.name = name, .role = Role::kSensitive});
  const Result<EncodedInput> values = Encode(file, setting, plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    plan.columns[i].role = Role::kQuasiIdentifier;
    if (values.ok()) plan.columns[i].taxonomy = TaxonomyOf(values->values[i]);
    if (!plan.columns[i].taxonomy) plan.columns[i].range = {Decimal{-1'000'000, 0}, Decimal{1'000'000, 0}};
    plan.columns[i].reading = reading;
    plan.columns[i].reading.folds_case = false;  // binding refuses values that differ in their case alone
  }
  (void)Encode(file, setting, plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    plan.columns[i] = {.name = names[i],
                       .role = i == 0       ? Role::kId
                               : i % 2 == 0 ? Role::kClass
                                            : Role::kKeep,
                       .reading = reading};
  }
  (void)Encode(file, setting, plan);
}

}  // namespace pentimento::fuzz
