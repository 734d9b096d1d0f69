// The people of one release, as a sorted run of keyed hashes: enough to count whom two releases share, and nothing that
// tells who they are without the ledger's key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/state_file.h"

namespace pentimento {

// `people` strictly ascends: sorted, each person once.
Result<StateFileRecord> WriteIdentities(const std::filesystem::path& state_folder, std::string_view name,
                                        std::span<const IdentityHash> people);

// A run on disk, mapped. Copying is not needed: it lives as long as the comparison does.
class Identities {
 public:
  static Result<Identities> Map(const std::filesystem::path& path, StateCheck check);

  std::span<const IdentityHash> people() const { return people_; }

 private:
  Identities(MappedStateFile file, std::span<const IdentityHash> people) : file_(std::move(file)), people_(people) {}
  MappedStateFile file_;
  std::span<const IdentityHash> people_;  // into file_, whose mapping does not move with the object
};

// How many people two strictly ascending runs share. One pass over both, or a search in the longer one for each person
// of the shorter one where that is cheaper.
std::uint64_t CountCommon(std::span<const IdentityHash> a, std::span<const IdentityHash> b);

}  // namespace pentimento
