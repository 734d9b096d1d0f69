// k-anonymity of one published table: see k_anonymity.md for what is promised.
#pragma once

#include <cstdint>
#include <optional>

#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento {

struct KAnonymityViolation {
  ClassNumber group = 0;      // the smallest group number of the class that is too small
  std::uint64_t members = 0;  // persons in the class (rows, where the policy names no id column)
};

// The smallest class of rows published with equal boxes, if it has fewer than k persons. Groups with equal boxes are
// one class: who reads the table cannot tell them apart. Of classes of the same size it is the one with the smallest
// group number. A group without rows is not published and is no class; an empty table has no class and violates
// nothing. The draft is well-formed for the table (one_table_form.h).
std::optional<KAnonymityViolation> FindKAnonymityViolation(const EncodedTable& table, const Classes& draft,
                                                           std::uint64_t k);

// The same where groups are published with numbers: each is a class of its own, also where boxes are equal.
std::optional<KAnonymityViolation> FindSmallGroup(const EncodedTable& table, const Classes& draft, std::uint64_t k);

}  // namespace pentimento
