#include "policy/sensitive_column.h"

#include <string>

#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kLimitedColumnExample = "for example column = \"disease\"";

}  // namespace

Result<const ColumnPolicy*> ReadSensitiveColumn(const Source& source, const TableReader& limit,
                                                const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const Entry* entry, limit.Require("column", kLimitedColumnExample));
  PENTIMENTO_ASSIGN(const Text name,
                    ReadText(source, entry->value, "'column' of an entry of limits", kLimitedColumnExample));
  const ColumnPolicy* column = FindColumn(here, name.text);
  if (column == nullptr) {
    return source.At(name.position,
                     fmt::format("limits names '{}', which [columns] does not have; write a sensitive column of "
                                 "[columns].{}",
                                 name.text, DidYouMean(name.text, ColumnNames(here))));
  }
  if (IsSensitive(*column)) return column;
  return source.At(name.position,
                   fmt::format("limits names '{}', but only the values of sensitive columns are limited, and a column "
                               "has one role; name a sensitive column, or give this one the role 'sensitive'",
                               name.text));
}

}  // namespace pentimento::policy_file
