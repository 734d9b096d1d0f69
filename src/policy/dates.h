// Domains of dates: `domain = [1900-01-01, 2026-12-31]` and `date = "%d/%m/%Y"` of a column.
#pragma once

#include <optional>
#include <string>

#include "base/date.h"
#include "base/result.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// Whether a value of `domain` is meant as two dates, right or wrong, and not as numbers.
bool HasDates(const Value& domain);

// REQUIRES: HasDates. `name` is how messages call the value.
Result<DayRange> ReadDates(const Source& source, const Value& value, const std::string& name);

// The form in which the column's texts are written, where there is one. Without dates it would say nothing.
Status ReadDateForm(const Source& source, const TableReader& column, std::optional<DatesPolicy>& dates);

}  // namespace pentimento::policy_file
