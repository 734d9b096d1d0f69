#include "ledger/budgets.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace pentimento {
namespace {

// Version 1 knew nothing of what people had last: the two bits for it are 0, which means just that.
constexpr std::uint32_t kBudgetsVersion = 2;
constexpr std::size_t kPeopleAlignment = 16;  // of the people, who come first

// Before the sections: people, spent, about. Each begins where the one before ends.
struct BudgetsDirectory {
  std::uint32_t version = kBudgetsVersion;
  std::uint32_t items = 0;
  std::uint64_t people = 0;
  std::uint64_t about_bytes = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(BudgetsDirectory) % kPeopleAlignment == 0 &&
              std::has_unique_object_representations_v<BudgetsDirectory>);

Error DamagedBudgets(const std::string& name, std::string_view what) {
  return {ErrorCode::kCorruptLedger,
          fmt::format("{}: the budgets of the series are damaged: {}. Restore the ledger from a backup.", name, what)};
}

}  // namespace

Result<StateFileRecord> WriteBudgets(const std::filesystem::path& state_folder, std::string_view name,
                                     const BudgetsView& budgets) {
  Check(budgets.spent.size() == budgets.people.size() * budgets.items, "everybody has a budget for every item");
  return WriteBudgets(state_folder, name, budgets, [&](std::size_t first, std::span<std::uint64_t> spent) {
    std::ranges::copy(budgets.spent.subspan(first * budgets.items, spent.size()), spent.begin());
  });
}

Result<StateFileRecord> WriteBudgets(const std::filesystem::path& state_folder, std::string_view name,
                                     const BudgetsView& budgets, const FillSpent& fill) {
  constexpr std::size_t kPeopleAtOnce = std::size_t{1} << 14;
  const BudgetsDirectory directory{kBudgetsVersion, budgets.items, budgets.people.size(), budgets.about.size(), 0};
  PENTIMENTO_ASSIGN(StateFileWriter writer, StateFileWriter::Create(state_folder, name, StateKind::kBudgets, 1));
  PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(std::span(&directory, 1))));
  PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(budgets.people)));
  std::vector<std::uint64_t> spent;
  for (std::size_t first = 0; first < budgets.people.size(); first += kPeopleAtOnce) {
    spent.resize(std::min(kPeopleAtOnce, budgets.people.size() - first) * budgets.items);
    fill(first, spent);
    PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(std::span(spent))));
  }
  PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(std::span(budgets.about))));
  return writer.Finish();
}

Result<Budgets> Budgets::Open(MappedStateFile file, const std::string& name) {
  Budgets budgets(std::move(file));
  PENTIMENTO_ASSIGN(const std::span<const std::byte> payload, budgets.file_.Elements<std::byte>());
  BudgetsDirectory directory;
  if (payload.size() < sizeof directory) return DamagedBudgets(name, "the file is too short");
  std::memcpy(&directory, payload.data(), sizeof directory);
  if (directory.version > kBudgetsVersion) {
    return Error{
        ErrorCode::kStorage,
        fmt::format("{}: the budgets of the series have version {}, this program reads up to {}; use a newer one", name,
                    directory.version, kBudgetsVersion)};
  }
  const std::uint64_t each = sizeof(IdentityHash) + std::uint64_t{directory.items} * sizeof(std::uint64_t);
  const std::uint64_t rest = payload.size() - sizeof directory;
  if (directory.items == 0 || directory.people > rest / each || directory.about_bytes != rest - directory.people * each)
    return DamagedBudgets(name, "its sizes do not fit");
  const std::byte* at = payload.data() + sizeof directory;
  const auto people = static_cast<std::size_t>(directory.people);
  budgets.view_.items = directory.items;
  budgets.view_.people = {reinterpret_cast<const IdentityHash*>(at), people};
  at += people * sizeof(IdentityHash);
  budgets.view_.spent = {reinterpret_cast<const std::uint64_t*>(at), people * directory.items};
  at += budgets.view_.spent.size_bytes();
  budgets.view_.about = {reinterpret_cast<const char*>(at), static_cast<std::size_t>(directory.about_bytes)};
  const auto out_of_order = std::ranges::adjacent_find(
      budgets.view_.people, [](const IdentityHash& one, const IdentityHash& next) { return !(one < next); });
  if (out_of_order != budgets.view_.people.end()) return DamagedBudgets(name, "its people are out of order");
  return budgets;
}

}  // namespace pentimento
