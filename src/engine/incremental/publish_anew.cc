#include "engine/incremental/publish_anew.h"

#include <numeric>
#include <utility>

#include "base/check.h"

namespace pentimento {
namespace {

EncodedTable FirstRows(const EncodedInput& input, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    CodeColumn column(input.domains[c].size(), rows);
    input.table.quasi_identifiers[c].Visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) column.Set(row, codes[row]);
    });
    table.quasi_identifiers.push_back(std::move(column));
  }
  return table;
}

}  // namespace

Result<IncrementalRelease> PublishAnew(const EncodedInput& input, std::size_t rows, const PartitionOptions& options) {
  Check(rows <= input.table.rows, "a table grows to all of its rows");
  PENTIMENTO_ASSIGN(Classes draft, AnonymizeByPartition(FirstRows(input, rows), input.domains, options));
  IncrementalRelease release{.columns = draft.columns,
                             .boxes = std::move(draft.boxes),
                             .cases = std::vector<CaseNumber>(rows),
                             .box_of_case = std::move(draft.of_row)};
  std::iota(release.cases.begin(), release.cases.end(), CaseNumber{0});
  return release;
}

}  // namespace pentimento
