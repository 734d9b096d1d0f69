// The four questions that a reader comes with: what was promised, is it kept over all releases, what is the worst
// group, how many releases are left. Answered from the numbers of the report alone.
#pragma once

#include "utility/report_numbers.h"

namespace pentimento {

ReportedVerdict JudgeReport(const ReportNumbers& numbers);

}  // namespace pentimento
