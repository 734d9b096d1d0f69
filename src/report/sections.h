// The sections of a report, each a piece of HTML; empty where it does not apply. A section that applies and cannot be
// drawn says what is missing.
#pragma once

#include <cstddef>
#include <string>

#include "utility/report_numbers.h"

namespace pentimento {

// The most releases that charts and tables show, the latest ones: a page stays one that somebody reads.
inline constexpr std::size_t kMostDrawn = 12;
inline constexpr std::size_t kMostListed = 100;

std::string VerdictSection(const ReportNumbers& numbers);
std::string PromiseSection(const ReportNumbers& numbers);
std::string RiskSection(const ReportNumbers& numbers);
std::string ClassSizeSection(const ReportNumbers& numbers);
std::string UniqueSection(const ReportNumbers& numbers);
std::string BudgetSection(const ReportNumbers& numbers);
std::string GrowthSection(const ReportNumbers& numbers);
std::string ColumnSection(const ReportNumbers& numbers);
std::string TrialSection(const ReportNumbers& numbers);
std::string QuerySection(const ReportNumbers& numbers);
std::string RecordSection(const ReportNumbers& numbers);
std::string SignatureSection(const ReportNumbers& numbers);

// The first of the last `most` releases.
std::size_t FirstShown(const ReportNumbers& numbers, std::size_t most);
// "Only the latest 12 of 40 releases are drawn; ..."; empty where all are.
std::string LeftOutNote(const ReportNumbers& numbers, std::size_t most);

}  // namespace pentimento
