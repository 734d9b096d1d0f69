// The metrics of a series, for people and for programs.
#pragma once

#include <string>

#include "engine/series/measure_series.h"

namespace pentimento {

std::string SeriesText(const MeasuredSeries& measured);
std::string SeriesJson(const MeasuredSeries& measured);

}  // namespace pentimento
