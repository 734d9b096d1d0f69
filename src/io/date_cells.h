// Cells of a column of dates: from texts of one form to days of a declared domain, and what is wrong with a cell that
// is no such day, in words that name no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/date.h"
#include "base/interval.h"
#include "base/result.h"
#include "io/cells.h"

namespace pentimento {

class DateCells {
 public:
  // `form`: of texts. Cells of another type have the text of ISO 8601.
  DateCells(DayRange domain, DateForm form);

  // The number of the day in the domain, from 0; nothing for any other cell.
  std::optional<Code> CodeOf(std::string_view bytes, const CellType& type) const;
  // Of a cell that has no code; follows "the cell". Lasts as long as this object.
  const char* FaultOf(std::string_view text, const CellType& type) const;

 private:
  const DateForm& FormOf(const CellType& type) const { return type.is_text() ? form_ : iso_; }

  DayRange domain_;
  DateForm form_;
  DateForm iso_;
  std::string other_form_;  // messages that name the form
  std::string no_date_;
};

// Points in time of a zone other than UTC count from UTC: on which day they are, the cells alone do not tell.
bool HasForeignZone(const CellType& type);

}  // namespace pentimento
