#include "engine/bind/label_numbers.h"

#include <algorithm>

namespace pentimento {

std::vector<LabelNumber> NumbersIn(std::string_view label) {
  std::vector<LabelNumber> numbers;
  const bool half_open = label.ends_with(')');
  if (label.starts_with('[')) label = label.substr(1, label.size() - 2);
  for (std::size_t start = 0; start <= label.size();) {
    const std::size_t comma = std::min(label.find(',', start), label.size());
    if (const auto number = ParseDecimal(label.substr(start, comma - start)))
      numbers.push_back({*number, half_open && start > 0});
    start = comma + 1;
  }
  return numbers;
}

}  // namespace pentimento
