// A release that passed every check. Verify() in guarantee/ is its only maker and the writers take nothing
// else, so publishing something unchecked does not compile.
#pragma once

#include <utility>

#include "release/draft.h"

namespace pentimento {

class VerifiedRelease {
 public:
  VerifiedRelease(VerifiedRelease&&) = default;
  VerifiedRelease& operator=(VerifiedRelease&&) = default;

  const Draft& draft() const { return draft_; }
  const Classes& classes() const { return draft_.classes; }

 private:
  friend class Verifier;
  explicit VerifiedRelease(Draft draft) : draft_(std::move(draft)) {}
  Draft draft_;
};

}  // namespace pentimento
