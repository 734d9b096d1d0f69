#include "policy/column_names.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento::policy_file {
namespace {

Error Unknown(const Source& source, const Text& text, const NamePlace& place, const ThisRelease& here,
              std::span<const std::string> against) {
  std::vector<std::string> candidates = ColumnNames(here);
  const std::size_t colon = text.text.find(':');
  if (colon == std::string::npos) {
    return source.At(text.position,
                     fmt::format("{} names '{}', which [columns] does not have; write a column of [columns], or "
                                 "RELEASE:COLUMN for one of an earlier release.{}",
                                 place.name, text.text, DidYouMean(text.text, candidates)));
  }
  for (const std::string& release : against) candidates.push_back(release + text.text.substr(colon));
  return source.At(text.position,
                   fmt::format("{} names '{}', but '{}' is no release in 'against', and [columns] has no column of the "
                               "whole name; write a column of [columns], or RELEASE:COLUMN with a release in "
                               "'against'.{}",
                               place.name, text.text, text.text.substr(0, colon), DidYouMean(text.text, candidates)));
}

Status CheckRole(const Source& source, const Text& text, const NamePlace& place, Role role) {
  if (role == Role::kId && !place.takes_id) {
    return source.At(text.position, fmt::format("{} names '{}', but an id is never published, so nobody can look at it "
                                                "in a release; remove it",
                                                place.name, text.text));
  }
  if (role == Role::kKeep) {
    return source.At(
        text.position,
        fmt::format("{} names '{}', but a column with the role 'keep' is passed on as text that nothing is "
                    "promised about; remove it, or give the column another role",
                    place.name, text.text));
  }
  return {};
}

}  // namespace

const ColumnPolicy* FindColumn(const ThisRelease& here, std::string_view name) {
  for (const ColumnPolicy& column : here.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::vector<std::string> ColumnNames(const ThisRelease& here) {
  std::vector<std::string> names;
  for (const ColumnPolicy& column : here.columns) names.push_back(column.name);
  return names;
}

Result<ColumnName> ReadColumnName(const Source& source, const Text& text, const NamePlace& place,
                                  const ThisRelease& here, std::span<const std::string> against) {
  const ColumnPolicy* own = FindColumn(here, text.text);
  const std::size_t colon = text.text.find(':');
  const std::string release = text.text.substr(0, colon);
  if (colon != std::string::npos && std::find(against.begin(), against.end(), release) != against.end()) {
    // Guessing could leave the very column unprotected that the user meant.
    if (own != nullptr) {
      return source.At(text.position,
                       fmt::format("{} names '{}', which is a column of this release and also reads as a column of the "
                                   "release '{}'; rename the column in the table",
                                   place.name, text.text, release));
    }
    std::string column = text.text.substr(colon + 1);
    if (column.empty()) {
      return source.At(text.position, fmt::format("{} names no column of the release '{}'; write {}:COLUMN", place.name,
                                                  release, release));
    }
    return ColumnName{release, std::move(column), text.position};
  }
  if (own == nullptr) return Unknown(source, text, place, here, against);
  PENTIMENTO_RETURN_IF_ERROR(CheckRole(source, text, place, own->role));
  return ColumnName{"", text.text, text.position};
}

std::string Written(const ColumnName& name) {
  return name.release.empty() ? name.column : name.release + ":" + name.column;
}

}  // namespace pentimento::policy_file
