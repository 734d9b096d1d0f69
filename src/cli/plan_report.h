// A plan of a series, for people and for programs.
#pragma once

#include <string>

#include "engine/serial/plan.h"

namespace pentimento {

std::string PlanText(const SeriesPlan& plan);
// Made for plotting: what belongs on an axis is an array. Where nothing limits a number it is null.
std::string PlanJson(const SeriesPlan& plan);

}  // namespace pentimento
