// The cells of a series that are published as they came: kept with each release, gathered for the next.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/incremental/incremental_memory.h"
#include "io/encode.h"
#include "ledger/incremental_state.h"

namespace pentimento {

class IncrementalCells {
 public:
  // `state`: the ledger's state folder, which is private.
  IncrementalCells(const EncodePlan& all, std::filesystem::path state, const Seed& seed, Progress* progress);

  // Puts the newcomers' cells into the state of the release; nothing where no column is published as it came.
  Result<std::optional<StateFileRecord>> Keep(const EncodedInput& newcomers, const std::string& release) const;

  // The cells of these releases, one after the other, and empty ones for the rest of `rows`, in a random order to be
  // published in. A release that did not have a column yet has empty cells there; the last one has them all. Codes of
  // quasi-identifiers are not among them.
  Result<EncodedInput> Read(const std::vector<KeptRows>& kept, std::size_t rows) const;

  // The cells of one release in these columns, which it has, in the order in which its newcomers are numbered.
  Result<EncodedInput> ReadKept(const KeptRows& kept, const std::set<std::string>& columns) const;
  // The columns that the policy names for publication as they came.
  std::set<std::string> NamesInPolicy() const;

 private:
  std::vector<std::string> Names() const;
  EncodeOptions Options() const;

  EncodePlan plan_;
  std::filesystem::path state_;
  Seed seed_;
  Progress* progress_;
};

}  // namespace pentimento
