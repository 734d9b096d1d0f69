// A release that passed every check. Verify() in guarantee/ is its only maker and the writers take nothing
// else, so publishing something unchecked does not compile.
#pragma once

#include <utility>

#include "release/draft.h"
#include "release/two_tables.h"

namespace pentimento {

class VerifiedRelease {
 public:
  VerifiedRelease(VerifiedRelease&&) = default;
  VerifiedRelease& operator=(VerifiedRelease&&) = default;

  const Draft& draft() const { return draft_; }

 private:
  friend class Verifier;
  explicit VerifiedRelease(Draft draft) : draft_(std::move(draft)) {}
  Draft draft_;
};

// The same for a release in two tables.
class VerifiedTwoTables {
 public:
  VerifiedTwoTables(VerifiedTwoTables&&) = default;
  VerifiedTwoTables& operator=(VerifiedTwoTables&&) = default;

  const TwoTables& tables() const { return tables_; }

 private:
  friend class Verifier;
  explicit VerifiedTwoTables(TwoTables tables) : tables_(std::move(tables)) {}
  TwoTables tables_;
};

}  // namespace pentimento
