// Dates as a taxonomy: the days of a declared domain are its leaves, and above them stand months, quarters, years and,
// where there are more than twenty years, decades.
//
// What is published of dates is finer than a node and coarser than any interval: a run of neighbours below one parent,
// such as 2024-01..2024-02 (months of a quarter) or 1983..1987 (years of a decade). So every end of what is published
// is where the calendar has one, and the runs are closed: the smallest run around an interval lies within the smallest
// run around any larger one, which is what series rely on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date.h"
#include "base/interval.h"

namespace pentimento {

class Taxonomy;

// Labels of its nodes: "1980..1989", "2024", "2024-Q1", "2024-03", "2024-03-05". A unit that the domain cuts off stands
// for those of its days that are in the domain. REQUIRES: first <= last.
Taxonomy MakeCalendarTaxonomy(DayRange domain);

// Of a calendar's taxonomy.

// The smallest run of neighbours below one parent that contains the days.
Interval CoverByRun(const Taxonomy& taxonomy, Interval days);

// How an interval of days is written: as its node, where it is one, else by the largest units that have the same ends:
// "2024-01..2024-02", "1983..1987". Of a run these are its neighbours; any other interval has a label, too.
//
// Never the root's label, because "*" may also stand for a missing value.
std::string WriteDateLabel(const Taxonomy& taxonomy, Interval days);

// Reads such a label back, and any other of a node, or of two days, months, quarters or years with ".." between them of
// which the first does not come after the last; nothing for anything else.
std::optional<Interval> ParseDateLabel(const Taxonomy& taxonomy, std::string_view label);

}  // namespace pentimento
