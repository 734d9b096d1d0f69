// Partition for the guarantee `history`: the joint classes of the releases on record are atoms, and no cut goes across
// one. See algorithm.md.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/partition/partition.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct WithinAtoms {
  Classes classes;
  // Rows of atoms that could not be a class by themselves: with fewer than k people of this table, or beyond a limit.
  // Whole atoms of them share one class. Whether that keeps the promise is for the verifier to say.
  std::uint64_t uncut_rows = 0;
};

// Every other class is part of one atom, with k people and within the limits. kRefused where the whole table is no
// legal class.
// REQUIRES: one atom below `atoms` for every row; all rows of a person have the same one.
Result<WithinAtoms> PartitionWithinAtoms(const EncodedTable& table, std::span<const Domain> domains,
                                         const PartitionOptions& options, std::span<const std::uint32_t> atom_of_row,
                                         std::uint32_t atoms);

}  // namespace pentimento
