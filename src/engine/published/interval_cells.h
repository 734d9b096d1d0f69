// Numbers that are published as the ends of their intervals (policy/interval_columns.h), read back as the labels that
// they would have had. So nobody else has to know both forms.
#pragma once

#include <string>

#include "base/decimal.h"
#include "table/values.h"

namespace pentimento {

// Cell by cell. `missing`: null where the table has no such column. What is no interval becomes a label that nobody
// can read: whoever reads labels says where it stands.
ValueColumn LabelsOfEnds(const std::string& name, const Decimal& domain_lo, const ValueColumn& from,
                         const ValueColumn& to, const ValueColumn* missing);

}  // namespace pentimento
