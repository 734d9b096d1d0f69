#include "table/take_rows.h"

#include <type_traits>

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

}  // namespace pentimento
