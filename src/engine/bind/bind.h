// Binding a policy to its data: the one place where policy, taxonomies and the table's header meet. What comes out
// is valid: after it, only a cell of the data can be wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind_files.h"
#include "io/encode.h"
#include "io/input_table.h"
#include "policy/policy.h"

namespace pentimento {

// A taxonomy of a series with labels that were others when the series began.
struct RenamedLabels {
  std::string began_with;                                   // what stands for the taxonomy then (incremental_about.h)
  std::vector<std::pair<std::string, std::string>> labels;  // what they were, and what they are
};

struct BoundPolicy {
  Policy policy;
  EncodePlan plan;  // the policy's columns, in the policy's order
  std::vector<std::string> quasi_identifiers;
  std::uint64_t k = 0;                                // the strictest k asked for
  bool counts_persons = false;                        // an id column is named
  std::map<std::string, RenamedLabels> renamed = {};  // by column of a series that has begun
  BoundTables tables = {};                            // policy.inputs has the names of its files then, for messages
  // Where the table was handed over; policy.inputs is its name then, for messages.
  std::shared_ptr<InputTable> input = nullptr;
};

// The table is in the files that the policy names, or else in `input`. Errors: kBadPolicy for what the policy says,
// kBadInput for a table that does not fit it.
Result<BoundPolicy> Bind(Policy policy, std::shared_ptr<InputTable> input = nullptr);

// The table, in parts that are opened one after the other.
TableParts OpenInput(const BoundPolicy& bound);
// The same of files.
TableParts OpenInputs(const std::vector<TableFile>& files, const EncodePlan& plan);

// The sensitive columns of the input, in the order of the policy.
std::vector<const ValueColumn*> SensitiveColumnsOf(const BoundPolicy& bound, const EncodedInput& input);

// What a specialization should stay good for.
struct Purpose {
  Utility utility = Utility::kDistortion;
  const CodeColumn* classes = nullptr;  // the one column with the role class; nothing where there are none or several
};
// What the policy says, or class where one column has that role, otherwise distortion. Points into the input.
Purpose PurposeOf(const BoundPolicy& bound, const EncodedInput& input);

}  // namespace pentimento
