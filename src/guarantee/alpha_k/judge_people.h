// Whether somebody with several rows has a limited value in one of them with too great a chance.
#pragma once

#include <optional>
#include <span>

#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/alpha_k/judged_column.h"
#include "guarantee/alpha_k/repeated_people.h"
#include "guarantee/form/rows_of_classes.h"

namespace pentimento {

// The person with the smallest number, if there is one. The columns have kept their counts.
std::optional<AlphaKViolation> FindPersonTooOften(const RowsOfClasses& classes, const RepeatedPeople& people,
                                                  std::span<const JudgedColumn> columns);

}  // namespace pentimento
