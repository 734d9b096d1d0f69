// What a series under the global guarantee has spent, release after release: the account as it is now, and how it came
// to this, reckoned again from the classes that the ledger keeps.
//
// The account charges the worse of two groups that somebody could be in; the course knows one class of everybody. So
// the course never lies above the account, and its last point may lie below.
#pragma once

#include <string>

#include "base/result.h"
#include "ledger/ledger.h"
#include "utility/report_numbers.h"

namespace pentimento {

// What cannot be read is said in `problem` or `why_no_course`.
ReportedBudget ReadBudgetCourse(Ledger& ledger, const std::string& series);

}  // namespace pentimento
