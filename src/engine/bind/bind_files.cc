#include "engine/bind/bind_files.h"

#include <algorithm>
#include <utility>

#include "base/blanks.h"
#include "base/fold_case.h"
#include "base/suggest.h"
#include "files/input_files.h"
#include "fmt/core.h"
#include "policy/interval_columns.h"

namespace pentimento {
namespace {

// "'age', 'sex' and 12 others"
std::string Some(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string some;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    some += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  return names.size() <= kMost ? some : fmt::format("{} and {} others", some, names.size() - kMost);
}

// Whether there is a name that looks the same and is written with other characters: an accent of its own (e and U+0301
// for é).
bool HasLookalike(std::string_view name, const std::vector<std::string>& header) {
  return std::ranges::any_of(header, [&](const std::string& other) {
    return WithoutBlanks(other) != WithoutBlanks(name) && WithoutAccents(other) == WithoutAccents(name);
  });
}

// What the header has, for whoever looks for a column in it. A first line without any of the policy's names may be
// somebody's row, so it is not shown.
std::string WhatIsThere(const Policy& policy, const std::string& name, const std::vector<std::string>& header) {
  const bool is_header = std::ranges::any_of(policy.columns, [&](const ColumnPolicy& column) {
    return std::ranges::find(header, column.name) != header.end();
  });
  const std::string meant = DidYouMean(name, header);
  if (!is_header && meant.empty()) {
    const bool is_uncut = header.size() == 1 && header.front().find_first_of(",;\t|") != std::string::npos;
    return is_uncut ? " The header is one cell: say with [input] separator what separates its names."
                    : " None of the columns of the policy is there: is the first line the header? If there is none, "
                      "name the columns with [input] names";
  }
  if (HasLookalike(name, header))
    return " A name in the header differs in its accents alone, or in how they are written: copy it from there.";
  return fmt::format("{} The table has {}.", meant, Some(header));
}

// Where numbers are published as the ends of their intervals, a published table has these in place of the column.
std::vector<std::string> WithoutEnds(const Policy& policy, const std::vector<std::string>& header) {
  std::vector<std::string> names = header;
  for (const ColumnPolicy& column : policy.columns) {
    const IntervalColumns ends = IntervalColumnsOf(column.name);
    const auto from = std::ranges::find(names, ends.from);
    const bool is_there = std::ranges::find(names, column.name) != names.end();
    if (!policy.interval_columns || !column.domain || is_there || from == names.end()) continue;
    if (std::ranges::find(names, ends.to) == names.end()) continue;
    *from = column.name;
    std::erase_if(names, [&](const std::string& name) { return name == ends.to || name == ends.missing; });
  }
  return names;
}

// Every column of the policy must be in every file.
Status RequireColumns(const Policy& policy, const std::string& file, const std::vector<std::string>& header,
                      bool is_one_of_several = false) {
  std::vector<const ColumnPolicy*> absent;
  for (const ColumnPolicy& column : policy.columns) {
    if (std::find(header.begin(), header.end(), column.name) == header.end()) absent.push_back(&column);
  }
  if (!absent.empty()) {
    std::string others;
    for (std::size_t i = 1; i < absent.size(); ++i) others += fmt::format(", '{}'", absent[i]->name);
    if (!others.empty()) others = fmt::format(" Also missing: {}.", others.substr(2));
    return Error{
        ErrorCode::kBadInput,
        fmt::format(
            "{}: column '{}', which {}:{} names, is not in the table{}; correct the name, or add the column.{}{}", file,
            absent.front()->name, policy.source.string(), absent.front()->position.line,
            is_one_of_several ? ", and every file must have it" : "", others,
            WhatIsThere(policy, absent.front()->name, header))};
  }
  return {};
}

// Adds what the policy does not name.
void AddDropped(const Policy& policy, const std::vector<std::string>& header, std::vector<std::string>& dropped) {
  for (const std::string& name : header) {
    const bool is_named = std::ranges::find(policy.columns, name, &ColumnPolicy::name) != policy.columns.end();
    if (!is_named && std::ranges::find(dropped, name) == dropped.end()) dropped.push_back(name);
  }
}

// A file cannot be in both lists, which patterns can hide from the policy.
Status RequireApart(const Policy& policy, const BoundTables& tables) {
  for (const TableFile& file : tables.removed) {
    if (std::ranges::find(tables.files, file.path, &TableFile::path) == tables.files.end()) continue;
    return PolicyError(
        policy, policy.input_position,
        fmt::format("[input] path and removed both name the file '{}'; keep it in one of the two", file.name));
  }
  return {};
}

using FileAndForm = std::pair<std::string, std::string>;

// What the readers found out, in a note for all files that are alike.
std::vector<std::string> NotesOnForms(const std::vector<FileAndForm>& files) {
  std::vector<std::string> notes;
  for (std::size_t i = 0, end = 0; i < files.size(); i = end) {
    while (end < files.size() && files[end].second == files[i].second) ++end;
    const std::string more = end - i == 1 ? "" : fmt::format(" and {} more", end - i - 1);
    if (!files[i].second.empty())
      notes.push_back(fmt::format("{}{}: read as {}", files[i].first, more, files[i].second));
  }
  return notes;
}

}  // namespace

Result<BoundTables> BindFiles(const Policy& policy) {
  const std::filesystem::path folder = policy.source.parent_path();
  BoundTables tables;
  PENTIMENTO_ASSIGN(tables.files, FindInputFiles(policy.inputs, folder, policy.text_setting));
  PENTIMENTO_ASSIGN(tables.removed, FindInputFiles(policy.removed, folder, policy.text_setting));
  PENTIMENTO_RETURN_IF_ERROR(RequireApart(policy, tables));
  std::vector<FileAndForm> forms;
  for (const TableFile& file : tables.files) {
    PENTIMENTO_ASSIGN(const FileHead head, ReadFileHead(file));
    const std::vector<std::string> header = WithoutEnds(policy, head.columns);
    PENTIMENTO_RETURN_IF_ERROR(RequireColumns(policy, file.name, header, tables.files.size() > 1));
    AddDropped(policy, header, tables.dropped);
    forms.emplace_back(file.name, head.form);
  }
  tables.read_as = NotesOnForms(forms);
  return tables;
}

Result<BoundTables> BindStream(const Policy& policy, InputTable& input) {
  BoundTables tables;
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, input.ColumnNames());
  PENTIMENTO_RETURN_IF_ERROR(RequireColumns(policy, input.name(), header));
  AddDropped(policy, header, tables.dropped);
  PENTIMENTO_ASSIGN(tables.removed, FindInputFiles(policy.removed, policy.source.parent_path(), policy.text_setting));
  return tables;
}

}  // namespace pentimento
