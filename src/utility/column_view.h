// What became of one quasi-identifier: how exact its labels are, and how its values are spread before and after.
//
// What a label stands for is spread evenly over its values, as a reader of the table would do who knows no more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento {

// By Domain::RelativeWidth: exact, up to a tenth, up to a half, wider, everything ("*"), and the missing value.
enum class LabelWidth { kExact, kTenth, kHalf, kWider, kEverything, kMissing };
inline constexpr std::size_t kLabelWidths = 6;
inline constexpr std::array<const char*, kLabelWidths> kLabelWidthNames = {"exact", "up_to_a_tenth", "up_to_a_half",
                                                                           "wider", "everything",    "missing"};

struct ValueBin {
  std::string label;                         // of a taxonomy or of numbers; kOtherValues for those left over
  double after = 0;                          // rows, as the labels suggest
  std::optional<std::uint64_t> before = {};  // rows of the original; nothing where it is not at hand
};
inline constexpr std::size_t kMostValueBins = 12;  // and one more for the missing value
inline constexpr const char* kMissingValue = "(missing)";
inline constexpr const char* kOtherValues = "";

struct ColumnView {
  std::string name;
  bool is_numeric = false;
  double ncp_percent = 0;
  std::uint64_t labels = 0;                                 // different ones
  std::array<std::uint64_t, kLabelWidths> rows_by_width{};  // by LabelWidth
  std::vector<ValueBin> bins = {};
  std::uint64_t other_labels = 0;  // values or nodes that share the bin kOtherValues
};

// So many rows have a label that stands for these codes.
struct LabelledRows {
  Interval codes;
  std::uint64_t rows = 0;
};

// `after`: of the release. `before`: single values of the original, in codes of `before_domain`, which has the same
// taxonomy or declared range; null where it is not at hand.
ColumnView ViewColumn(const std::string& name, const Domain& domain, std::span<const LabelledRows> after,
                      const Domain* before_domain = nullptr, std::span<const LabelledRows> before = {});

}  // namespace pentimento
