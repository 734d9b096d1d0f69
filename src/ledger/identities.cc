#include "ledger/identities.h"

#include <algorithm>

namespace pentimento {
namespace {

// From this ratio of sizes on, searching beats merging.
constexpr std::size_t kGallopingRatio = 32;

std::uint64_t CountByMerging(std::span<const IdentityHash> a, std::span<const IdentityHash> b) {
  std::uint64_t common = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  // Without branches on the hashes: they are random, so a branch would be mispredicted every other time.
  while (i < a.size() && j < b.size()) {
    const IdentityHash left = a[i];
    const IdentityHash right = b[j];
    const bool left_less = (left.high < right.high) | ((left.high == right.high) & (left.low < right.low));
    const bool equal = (left.high == right.high) & (left.low == right.low);
    common += equal;
    i += left_less | equal;
    j += !left_less;
  }
  return common;
}

// Doubles the step until it has passed `wanted`, then searches the last step: cheap when the next match is near.
std::span<const IdentityHash> SkipBelow(std::span<const IdentityHash> run, const IdentityHash& wanted) {
  std::size_t step = 1;
  while (step < run.size() && run[step - 1] < wanted) {
    run = run.subspan(step);
    step *= 2;
  }
  const auto window = run.first(std::min(step, run.size()));
  const auto found = std::lower_bound(window.begin(), window.end(), wanted);
  return run.subspan(static_cast<std::size_t>(found - window.begin()));
}

std::uint64_t CountBySearching(std::span<const IdentityHash> few, std::span<const IdentityHash> many) {
  std::uint64_t common = 0;
  for (const IdentityHash& wanted : few) {
    many = SkipBelow(many, wanted);
    if (many.empty()) break;
    if (many.front() == wanted) ++common;
  }
  return common;
}

}  // namespace

Result<StateFileRecord> WriteIdentities(const std::filesystem::path& state_folder, std::string_view name,
                                        std::span<const IdentityHash> people) {
  Check(std::adjacent_find(people.begin(), people.end(), std::greater_equal<>()) == people.end(),
        "identities are written in strictly ascending order");
  PENTIMENTO_ASSIGN(StateFileWriter writer, StateFileWriter::Create(state_folder, name, StateKind::kIdentities,
                                                                    sizeof(IdentityHash), WriteWay::kPastCache));
  PENTIMENTO_RETURN_IF_ERROR(writer.Append(people));
  return writer.Finish();
}

Result<Identities> Identities::Map(const std::filesystem::path& path, StateCheck check) {
  PENTIMENTO_ASSIGN(MappedStateFile file, MappedStateFile::Map(path, StateKind::kIdentities, check));
  PENTIMENTO_ASSIGN(const std::span<const IdentityHash> people, file.Elements<IdentityHash>());
  return Identities(std::move(file), people);
}

std::uint64_t CountCommon(std::span<const IdentityHash> a, std::span<const IdentityHash> b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.size() / kGallopingRatio > a.size() ? CountBySearching(a, b) : CountByMerging(a, b);
}

}  // namespace pentimento
