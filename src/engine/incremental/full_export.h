// A table of everybody who is there now, compared with a series: who is new, who has left, what was corrected. Whoever
// is there as before is no change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/incremental/incremental_cells.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/steps/one_row_each.h"
#include "io/encode.h"

namespace pentimento {

struct FullExport {
  // Rows of the table that come, ascending: of people who are new, or who come back, or whose row is another one now.
  std::vector<std::uint32_t> coming;
  // `coming` as the batch of a series that grows; its rows are numbered as they stand there.
  IncrementalPeople who;
  std::uint64_t living = 0;      // who had not left before
  std::uint64_t recognized = 0;  // of these, who is in the table
  std::uint64_t returned = 0;    // who had left, and comes back

  std::uint64_t corrected() const { return who.replaced.size(); }
  std::uint64_t unchanged() const { return recognized - who.replaced.size(); }
  std::uint64_t left() const { return living - recognized; }
  std::uint64_t newcomers() const { return coming.size() - who.replaced.size(); }
};

// `people`: of the rows of `input`, whose codes are those of the series. A row is as before where its codes are, and
// its cells in the columns that were published with the case and that the policy still names. `cells` reads what was
// kept.
Result<FullExport> CompareWithSeries(const IncrementalMemory& memory, const EncodedInput& input,
                                     const PeopleOfRows& people, const IncrementalCells& cells);

}  // namespace pentimento
