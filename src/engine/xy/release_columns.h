// The columns of the new release and of the earlier ones under the names that a policy calls them by.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/xy/published_release.h"

namespace pentimento {

// Which columns of an earlier release the guarantees of the policy and the join look at: asked before anything is read,
// so of the other releases nothing is known but their names.
std::vector<std::string> ColumnsToRead(const BoundPolicy& bound, const PublishedRelease& described);

// What the cells of a column are: labels of a taxonomy, intervals of numbers, or texts that are published as they came.
enum class CellForm { kCategories, kNumbers, kTexts };

struct NamedColumn {
  std::string name;
  Role role = Role::kKeep;
  CellForm form = CellForm::kTexts;
  // Of the new release: among the quasi-identifiers, or among EncodedInput::values; without a meaning for `keep`. Of an
  // earlier release: among PublishedRelease::columns.
  std::uint32_t number = 0;
  SourcePosition position;  // in the policy; nowhere for an earlier release
  bool can_join = true;     // its cells are known; not those of columns that nobody asked for and nobody can verify
};

// A column as ReleaseColumns counts them: everything that is published, not only what takes part in a join.
struct ColumnPlace {
  static constexpr std::uint32_t kWho = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t release = 0;  // 0 is the new one
  std::uint32_t column = 0;
  friend auto operator<=>(const ColumnPlace&, const ColumnPlace&) = default;
};

// Where a policy names a column.
enum class NameUse { kX, kY, kTarget, kImpossible };

// Keeps references to what it was made from.
class ReleaseColumns {
 public:
  ReleaseColumns(const BoundPolicy& bound, std::span<const PublishedRelease> earlier);

  std::uint32_t release_count() const { return static_cast<std::uint32_t>(columns_.size()); }
  std::span<const NamedColumn> columns(std::uint32_t release) const { return columns_[release]; }
  const NamedColumn& at(ColumnPlace place) const { return columns_[place.release][place.column]; }
  std::optional<ColumnPlace> Find(std::uint32_t release, std::string_view name) const;
  std::optional<std::uint32_t> FindRelease(std::string_view name) const;  // never the new one
  const std::string& id() const { return id_; }                           // empty where the policy names none

  // As a policy writes it: "sex", "immigration-2025:sex".
  std::string Written(ColumnPlace place) const;
  // "this table", "release 'immigration-2025'".
  std::string ReleaseWritten(std::uint32_t release) const;
  // The column of that name, which must be of the new release or of one of `against`, or a kBadPolicy error.
  Result<ColumnPlace> Resolve(const ColumnName& name, NameUse use, std::span<const std::uint32_t> against) const;

 private:
  Result<ColumnPlace> ResolveHere(const ColumnName& name, NameUse use) const;
  Result<ColumnPlace> ResolveWho(const ColumnName& name, NameUse use, std::uint32_t release) const;
  Error Unknown(const ColumnName& name, std::uint32_t release) const;

  const Policy& policy_;
  std::span<const PublishedRelease> earlier_;
  std::vector<std::vector<NamedColumn>> columns_;  // by release
  std::string id_;
};

}  // namespace pentimento
