// Names of columns where several releases are joined: "sex" is a column of this release, "immigration-2025:sex" one of
// an earlier release.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// What the policy says of the release that it is about, for those who refer to it.
struct ThisRelease {
  std::string_view name;
  std::span<const ColumnPolicy> columns;
  std::span<const std::string> missing;  // what [input] counts as missing
  bool is_import = false;
  bool is_on_record = false;  // accepted when it was used, by what was asked for then
};

// Where a name stands: how messages call the place, and whether the person may be named there.
struct NamePlace {
  std::string_view name;
  bool takes_id = false;
};

// Nothing where [columns] does not have it.
const ColumnPolicy* FindColumn(const ThisRelease& here, std::string_view name);
std::vector<std::string> ColumnNames(const ThisRelease& here);

// The part before the first ':' is a release if `against` lists it; otherwise the whole text is a column of this
// release, which [columns] must have in a role that takes part in a join. Whether an earlier release has the column is
// known only to those who can look at it.
Result<ColumnName> ReadColumnName(const Source& source, const Text& text, const NamePlace& place,
                                  const ThisRelease& here, std::span<const std::string> against);

// "sex", "immigration-2025:sex": as it was written.
std::string Written(const ColumnName& name);

}  // namespace pentimento::policy_file
