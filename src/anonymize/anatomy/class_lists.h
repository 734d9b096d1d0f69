// Classes before anybody is in them: for each signature the classes that its rows go to, in any order. Which row goes
// to which of them is left to chance.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"

namespace pentimento::anatomy {

struct ClassLists {
  explicit ClassLists(std::span<const std::uint32_t> rows_of_signature) : first(rows_of_signature.size() + 1) {
    std::partial_sum(rows_of_signature.begin(), rows_of_signature.end(), first.begin() + 1);
    class_of_slot.resize(first.back());
  }

  std::span<ClassNumber> of(Code signature) {
    return std::span(class_of_slot).subspan(first[signature], first[signature + 1] - first[signature]);
  }

  std::uint32_t classes = 0;
  std::vector<std::uint32_t> first;        // by signature; one more at the end
  std::vector<ClassNumber> class_of_slot;  // as many slots for a signature as it has rows
};

}  // namespace pentimento::anatomy
