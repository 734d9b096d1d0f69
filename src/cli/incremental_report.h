// The metrics of a series, for people and for programs.
#pragma once

#include <string>

#include "engine/incremental/measure_incremental.h"

namespace pentimento {

std::string IncrementalText(const MeasuredIncremental& measured);
std::string IncrementalJson(const MeasuredIncremental& measured);

}  // namespace pentimento
