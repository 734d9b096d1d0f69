// The new release of a join as its verifiers see it: what would be published, and who the rows are about.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "release/classes.h"
#include "release/xy_releases.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

// The columns of release 0 are the columns of the draft, then the exact ones, where a cell is the interval
// [code, code]. ReleaseColumn::kWho of release 0 is the person of the row; of an earlier release it is each record by
// itself.
struct NewReleaseView {
  const Classes& draft;
  std::span<const CodeColumn* const> exact;
  const Persons* persons = nullptr;  // null: every row is a person of its own

  std::size_t rows() const { return draft.of_row.size(); }
  std::size_t columns() const { return draft.columns + exact.size(); }
};

// A record that an earlier release shows, for messages: who reads the release finds it by its number, from 0.
struct RecordOfRelease {
  std::uint32_t release = 0;  // number in XyReleases: from 1
  std::uint64_t record = 0;
};

// One match of the join: a row of the input and a record of each earlier release that takes part.
struct MatchWitness {
  std::uint64_t row = 0;  // of the input, from 0
  std::vector<RecordOfRelease> records;
};

// Why a requirement over joins does not hold, or is not verified.
enum class XyFault {
  kInJoin,       // a value on x of a join
  kOutsideJoin,  // a value on x of rows that match nothing
  kEmptyJoin,    // no row matches anything, so the requirement would promise nothing
  kTooLarge,     // a limit of the program: nothing is known
};
struct XyViolation {
  XyFault fault = XyFault::kInJoin;
  std::string words;  // for people; names rows and records by number, never a value
};

// How the verifiers count. kReduced leaves out values on x of which a worse one is known, kEverything none: the results
// are the same, and the tests hold one against the other.
enum class CountingPath { kReduced, kEverything };

}  // namespace pentimento
