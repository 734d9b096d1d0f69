// Strict Mondrian over boxes of code intervals: cut the table along quasi-identifiers as long as every part
// keeps k persons. See algorithm.md for the paper, what we do otherwise and why, and the cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "anonymize/limits/signatures.h"
#include "base/category_form.h"
#include "base/random.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// What a group is published with.
enum class BoxKind {
  kMembers,  // the smallest publishable box that covers its members: right for a one-off release
  kRegion,   // the region the cuts left, over the declared domain: what a series needs, because members' boxes of two
             // releases can be intersected. Only cuts tell where members lie: a boundary is the middle of a gap
};

struct PartitionOptions {
  std::uint64_t k = 2;  // persons where the table names them, rows otherwise
  CategoryForm form = CategoryForm::kTaxonomy;
  BoxKind boxes = BoxKind::kMembers;
  bool wants_boxes = true;                 // whoever only wants the tree saves the time
  const Signatures* signatures = nullptr;  // where sensitive values are limited: no cut breaks a limit. Not in a series
  // For GroupByPartition with signatures: a class that cannot be cut is divided further, whatever quasi-identifiers its
  // rows have, as long as every part keeps k and the limits. Which of the rows with one value goes where is drawn from
  // the seed: a rule would tell whoever knows it who has the same value as whom.
  std::optional<Seed> bags = {};
};

// Equal rows get equal boxes; every group has at least k persons and keeps the limits on sensitive values; the same
// result for any number of threads. kRefused where the table has fewer than k persons (an empty table included) or
// breaks a limit as a whole; nothing else can go wrong.
Result<Classes> AnonymizeByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                     const PartitionOptions& options);

// Parts of a table, one after the other: rows [ends[i - 1], ends[i]) of `order` are the i-th. Each has at least k rows.
// `order` has every row once; those behind the last part are in none.
struct PartsOfTable {
  std::span<const std::uint32_t> order;
  std::span<const std::size_t> ends;
};

// The same of each part by itself, as one tree with the parts as its first level. Rows of no part are in class 0, which
// says nothing of them; two parts may have classes with equal boxes.
// REQUIRES: one row for each person, no limits on sensitive values, and at least one part and one column.
Classes AnonymizePartsByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                  const PartitionOptions& options, PartsOfTable parts);

// The same for whoever publishes the quasi-identifiers as they are and only needs to know who is in a class: classes
// are as small as cuts can make them, because any boundary between codes may be cut and no two become one for being
// published alike. Of the options, boxes and form do not matter.
Result<Classes> GroupByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                 const PartitionOptions& options);

}  // namespace pentimento
