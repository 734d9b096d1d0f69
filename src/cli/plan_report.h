// A plan of a series, for people and for programs.
#pragma once

#include <string>

#include "engine/global/plan.h"

namespace pentimento {

std::string PlanText(const GlobalPlan& plan);
// Made for plotting: what belongs on an axis is an array. Where nothing limits a number it is null.
std::string PlanJson(const GlobalPlan& plan);

}  // namespace pentimento
