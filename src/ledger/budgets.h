// What the global guarantee spent of everybody's budget so far: one file for a series, replaced by the next release's.
// docs/formats/state.md is the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::span<const std::uint64_t> spent;  // `items` for each of the people; what else is in them docs/formats tells
  std::string_view about;                // what every later release must know of the series
};

Result<StateFileRecord> WriteBudgets(const std::filesystem::path& state_folder, std::string_view name,
                                     const BudgetsView& budgets);

// Puts into `spent` what people have spent, from this one on.
using FillSpent = std::function<void(std::size_t first, std::span<std::uint64_t> spent)>;

// The same where what is spent is not in memory as it is stored: `spent` of the view is not looked at, and a few people
// after the others are asked for.
Result<StateFileRecord> WriteBudgets(const std::filesystem::path& state_folder, std::string_view name,
                                     const BudgetsView& budgets, const FillSpent& fill);

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
