// The report as one page of HTML that needs nothing else: no script, no network, no other file.
#pragma once

#include <string>

#include "utility/report_numbers.h"

namespace pentimento {

// The most that a page has, in bytes; however large the ledger is, sections stop before it, and say so.
inline constexpr std::size_t kMostPageBytes = 400'000;

std::string ReportPage(const ReportNumbers& numbers);

// The same numbers as a JSON object: docs/formats/json.md, schemas/report.schema.json.
std::string ReportJson(const ReportNumbers& numbers);

}  // namespace pentimento
