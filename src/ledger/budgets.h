// What the global guarantee spent of everybody's budget so far: one file for a series, replaced by the next release's.
// docs/formats/state.md is the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/state_file.h"

namespace pentimento {

struct BudgetsView {
  std::uint32_t items = 0;               // things that nobody may be linked to
  std::span<const IdentityHash> people;  // each once, ascending
  std::span<const std::uint64_t> spent;  // `items` for each of the people
  std::string_view about;                // what every later release must know of the series
};

Result<StateFileRecord> WriteBudgets(const std::filesystem::path& state_folder, std::string_view name,
                                     const BudgetsView& budgets);

// Budgets on disk, mapped: looked at in place.
class Budgets {
 public:
  // The file was mapped with StateCheck::kPayload: budgets that were tampered with would be spent again.
  static Result<Budgets> Open(MappedStateFile file, const std::string& name);

  const BudgetsView& view() const { return view_; }

 private:
  explicit Budgets(MappedStateFile file) : file_(std::move(file)) {}
  MappedStateFile file_;  // whose mapping does not move with the object
  BudgetsView view_;
};

}  // namespace pentimento
