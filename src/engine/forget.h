// Erasing what the ledger keeps of some people, as far as it can be erased.
//
// 1. Their raw cells go: those that a growing series publishes again with each release.
// 2. Keyed hashes of who took part in what stay, and so do the codes of their quasi-identifiers in the tree of a
// series:
//    the promises to everybody rest on them.
// 3. What was published stays published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace pentimento {

struct ForgetOptions {
  std::filesystem::path ledger;
  std::vector<std::string> ids;  // as they stand in the id column
  Progress* progress = nullptr;
};

struct ForgetOutcome {
  struct Release {
    std::string release;
    std::string series;
    std::uint64_t cases = 0;  // whose cells were erased
  };
  struct Series {
    std::string series;
    std::uint64_t living = 0;  // of these people, who has not left it
  };

  std::uint64_t people = 0;       // different ids
  std::uint64_t unknown = 0;      // of whom nothing is on record
  std::vector<Release> releases;  // in their order
  std::vector<Series> still_there;
  std::vector<std::string> kept_in;  // releases that go on knowing one of them by a keyed hash
  std::vector<std::string> recovered;
};

// kUsage where no id is given. What was erased before is not told again.
Result<ForgetOutcome> ForgetPeople(const ForgetOptions& options);

// The ids of a file: one on each line, blank lines do not count.
Result<std::vector<std::string>> ReadIdsOfFile(const std::filesystem::path& file);

}  // namespace pentimento
