// The cells of an attribute in every release that has it, in the attribute's codes.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/xy/attribute_codes.h"
#include "engine/xy/join_claims.h"
#include "engine/xy/published_release.h"
#include "engine/xy/release_columns.h"
#include "io/encode.h"
#include "table/code_column.h"

namespace pentimento {

// All that the cells come from.
struct JoinSources {
  const BoundPolicy& bound;
  const EncodedInput& input;
  std::span<const PublishedRelease> earlier;
  const ReleaseColumns& columns;
  std::set<ColumnPlace> named;  // columns that a guarantee or an impossible pair names
};

// One column of the attribute.
struct AttributeMember {
  ColumnPlace place;
  CellReader reader;
  std::vector<std::string> labels;    // its different cells; nothing for a quasi-identifier of the new release
  std::vector<CellMeaning> meanings;  // by label
  std::vector<Interval> cells;        // by label
};

struct AttributeCells {
  std::vector<AttributeMember> members;
  std::unique_ptr<const AttributeCodes> codes;
  bool by_overlap = false;
  // The column of the new release, where its codes are not those of EncodedInput.
  std::unique_ptr<const CodeColumn> recoded;

  // The codes of a value that a policy names; nothing where the column does not know it.
  std::optional<Interval> FindValue(ColumnPlace place, const std::string& value) const;
};

// An attribute with one column is one that nobody joins. Errors are kBadInput: where two releases differ about what a
// label means, or where values that one of them tells apart would become one.
Result<AttributeCells> EncodeAttribute(const JoinAttribute& attribute, const JoinSources& sources);

}  // namespace pentimento
