#include "engine/global/row_choice.h"

namespace pentimento {

CodeColumn TakeRows(const CodeColumn& column, std::span<const std::uint32_t> rows) {
  CodeColumn taken(std::uint64_t{1} << column.bits(), rows.size());
  column.Visit([&](auto codes) {
    taken.VisitMutable([&](auto& places) {
      using Narrow = std::remove_reference_t<decltype(places[0])>;
      for (std::size_t i = 0; i < rows.size(); ++i) places[i] = static_cast<Narrow>(codes[rows[i]]);
    });
  });
  return taken;
}

EncodedTable TakeRows(const EncodedTable& table, std::span<const std::uint32_t> rows) {
  EncodedTable taken;
  taken.rows = rows.size();
  for (const CodeColumn& column : table.quasi_identifiers) taken.quasi_identifiers.push_back(TakeRows(column, rows));
  return taken;
}

void PublishOnly(EncodedInput& input, std::span<const std::uint32_t> rows) {
  if (rows.size() == input.table.rows) return;
  std::vector<bool> is_left_out(input.table.rows, true);
  input.form_of_row.assign(input.table.rows, RowForm::kSkipped);
  input.judged_row.assign(input.table.rows, 0);
  for (std::uint32_t number = 0; number < rows.size(); ++number) {
    is_left_out[rows[number]] = false;
    input.form_of_row[rows[number]] = RowForm::kWhole;
    input.judged_row[rows[number]] = number;
  }
  for (ValueColumn& column : input.values) EmptyCells(column, is_left_out);
}

}  // namespace pentimento
