// What the steward should know of a release besides its numbers, whether it is published or refused.
#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace pentimento {

struct Remarks {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  // what looks like a mistake, or what somebody can know despite the guarantees

  void Add(Remarks more) {
    std::move(more.notes.begin(), more.notes.end(), std::back_inserter(notes));
    std::move(more.warnings.begin(), more.warnings.end(), std::back_inserter(warnings));
  }
};

}  // namespace pentimento
