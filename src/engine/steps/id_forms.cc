#include "engine/steps/id_forms.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blanks.h"
#include "base/plural.h"
#include "base/text_looks.h"
#include "io/cells.h"

namespace pentimento {
namespace {

constexpr std::size_t kLongestPadded = 18;  // more digits than an id has that somebody read as a number

// The forms, in the order in which they are tried; the first that is known counts.
constexpr std::array kForms = {"without the blanks around them", "with a blank before or after them",
                               "without the zeros in front of them", "with zeros in front of them"};

std::vector<std::string> InForm(std::size_t form, std::string_view id) {
  const std::string_view trimmed = WithoutBlanks(id);
  switch (form) {
    case 0:
      if (trimmed == id) return {};
      return {std::string(trimmed), std::string(WithoutZerosInFront(trimmed))};
    case 1:
      return {" " + std::string(id), std::string(id) + " "};
    case 2:
      return {std::string(WithoutZerosInFront(id))};
    default:
      break;
  }
  std::vector<std::string> padded;
  for (std::string longer = "0" + std::string(id); longer.size() <= kLongestPadded; longer.insert(0, 1, '0'))
    padded.push_back(longer);
  return padded;
}

std::optional<std::size_t> FindForm(std::string_view id, const IdentityHasher& hasher,
                                    const std::function<bool(const IdentityHash&)>& is_known) {
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    for (const std::string& other : InForm(form, id)) {
      if (!other.empty() && other != id && is_known(hasher(other))) return form;
    }
  }
  return std::nullopt;
}

// The texts of the id column. As values it is read without being hashed.
Result<ValueColumn> ReadIds(const ReleaseRun& run) {
  EncodePlan plan{{}, run.bound.plan.missing};
  for (const ColumnPlan& column : run.bound.plan.columns) {
    if (column.role == Role::kId) plan.columns.push_back({column.name, Role::kClass, nullptr, std::nullopt});
  }
  EncodeOptions options;
  options.spill_folder = run.memory.spill_folder();
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(OpenInputs(run.bound.tables.files, plan), plan, options));
  return std::move(input.values.front());
}

}  // namespace

Result<std::string> TellOtherForms(const ReleaseRun& run, std::span<const std::uint32_t> rows,
                                   const std::function<bool(const IdentityHash&)>& is_known) {
  if (run.bound.input != nullptr || !run.bound.counts_persons || rows.empty()) return std::string();
  PENTIMENTO_ASSIGN(const ValueColumn ids, ReadIds(run));
  const IdentityHasher hasher = run.memory.identity_hasher();
  std::array<std::uint64_t, kForms.size()> known{};
  for (const std::uint32_t row : rows) {
    const Code code = ids.codes[row];
    CellScratch scratch;
    const std::optional<std::string_view> text = CellText(ids.values[code], ids.type, scratch);
    if (!text || code == ids.null_code) continue;
    if (const auto form = FindForm(*text, hasher, is_known)) ++known[*form];
  }
  std::vector<std::string> words;
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    if (known[form] > 0)
      words.push_back(
          fmt::format("{} {} would be known {}", known[form], Plural(known[form], "id", "ids"), kForms[form]));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace pentimento
