// For tests: a new table, earlier releases and a policy over their join, written down by hand.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/xy/bind_join.h"

namespace pentimento::join_fixture {

inline std::shared_ptr<const Taxonomy> Tree(std::string_view text) {
  return std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "tree.csv").value());
}

// "sex", "r1:sex"; the n-th name of a list is in line 7, column n.
inline std::vector<ColumnName> Names(const std::vector<std::string>& written) {
  std::vector<ColumnName> names;
  for (const std::string& name : written) {
    const std::size_t colon = name.find(':');
    const bool is_here = colon == std::string::npos;
    names.push_back({is_here ? "" : name.substr(0, colon),
                     is_here ? name : name.substr(colon + 1),
                     {7, static_cast<std::uint32_t>(names.size() + 1)}});
  }
  return names;
}

inline std::pair<Decimal, Decimal> Range(std::int64_t lo, std::int64_t hi) { return {{lo, 0}, {hi, 0}}; }

struct Column {
  std::string name;
  Role role = Role::kQuasiIdentifier;
  std::shared_ptr<const Taxonomy> taxonomy;
  std::optional<std::pair<Decimal, Decimal>> domain;
  std::vector<std::string> cells;
};

inline Column Categories(std::string name, std::string_view tree, std::vector<std::string> cells) {
  return {std::move(name), Role::kQuasiIdentifier, Tree(tree), std::nullopt, std::move(cells)};
}
inline Column Numbers(std::string name, std::int64_t lo, std::int64_t hi, std::vector<std::string> cells) {
  return {std::move(name), Role::kQuasiIdentifier, nullptr, Range(lo, hi), std::move(cells)};
}
inline Column Texts(std::string name, Role role, std::vector<std::string> cells) {
  return {std::move(name), role, nullptr, std::nullopt, std::move(cells)};
}

// Equal rows become one, as the reader of a release does it; every column is read.
inline PublishedRelease Release(std::string name, const std::vector<Column>& columns,
                                std::vector<std::string> missing = {""}) {
  PublishedRelease release;
  release.name = std::move(name);
  release.missing = std::move(missing);
  std::map<std::vector<std::uint32_t>, std::size_t> row_of;
  for (const Column& column : columns) {
    release.read.push_back(static_cast<std::uint32_t>(release.columns.size()));
    release.columns.push_back({{column.name, column.role, column.taxonomy, column.domain}, {}, true});
  }
  for (std::size_t record = 0; record < columns.front().cells.size(); ++record) {
    std::vector<std::uint32_t> row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::vector<std::string>& labels = release.columns[i].labels;
      const auto found = std::find(labels.begin(), labels.end(), columns[i].cells[record]);
      row.push_back(static_cast<std::uint32_t>(found - labels.begin()));
      if (found == labels.end()) labels.push_back(columns[i].cells[record]);
    }
    const auto [at, is_new] = row_of.try_emplace(row, release.records.size());
    if (is_new) {
      release.cells.insert(release.cells.end(), row.begin(), row.end());
      release.records.push_back(0);
      release.example.push_back(record);
    }
    ++release.records[at->second];
  }
  return release;
}

struct Case {
  BoundPolicy bound;
  EncodedInput input;
  std::vector<PublishedRelease> earlier;

  explicit Case(const std::vector<Column>& columns, std::vector<std::string> missing = {""}) {
    bound.policy.source = "policy.toml";
    bound.policy.release = "new";
    bound.policy.missing = std::move(missing);
    for (const Column& column : columns) Add(column);
  }

  Result<BoundJoin> Bind() const { return BindJoin(bound, input, earlier); }

  XyAnonymityPolicy& AskAnonymity(std::vector<std::string> against, const std::vector<std::string>& x,
                                  const std::vector<std::string>& y, std::uint64_t k = 2) {
    bound.policy.guarantees.emplace_back(XyAnonymityPolicy{std::move(against), Names(x), Names(y), {}, k, {5, 1}});
    return std::get<XyAnonymityPolicy>(bound.policy.guarantees.back());
  }
  XyLinkabilityPolicy& AskLinkability(std::vector<std::string> against, const std::vector<std::string>& x,
                                      const std::string& y, std::vector<std::string> values) {
    XyLinkabilityPolicy guarantee{std::move(against), Names(x), {}, {}, {6, 1}};
    std::vector<std::vector<std::string>> each;
    for (std::string& value : values) each.push_back({std::move(value)});
    guarantee.y.push_back({Names({y}), std::move(each), {1, 2}});
    bound.policy.guarantees.emplace_back(std::move(guarantee));
    return std::get<XyLinkabilityPolicy>(bound.policy.guarantees.back());
  }
  void AskCombination(std::vector<std::string> against, const std::vector<std::string>& x,
                      const std::vector<std::string>& y, std::vector<std::vector<std::string>> values) {
    XyLinkabilityPolicy guarantee{std::move(against), Names(x), {}, {}, {6, 1}};
    guarantee.y.push_back({Names(y), std::move(values), {1, 2}});
    bound.policy.guarantees.emplace_back(std::move(guarantee));
  }
  void AddImpossible(const std::string& left, std::string left_value, const std::string& right,
                     std::string right_value) {
    bound.policy.impossible.push_back(
        {Names({left}).front(), std::move(left_value), Names({right}).front(), std::move(right_value)});
  }

 private:
  void Add(const Column& column) {
    const auto line = static_cast<std::uint32_t>(20 + bound.policy.columns.size());
    ColumnPolicy& policy = bound.policy.columns.emplace_back();
    policy.name = column.name;
    policy.role = column.role;
    policy.domain = column.domain;
    policy.position = {line, 1};
    bound.plan.columns.push_back({column.name, column.role, column.taxonomy, column.domain});
    input.table.rows = column.cells.size();
    if (column.role == Role::kQuasiIdentifier) {
      bound.quasi_identifiers.push_back(column.name);
      const bool allows_missing = !bound.policy.missing.empty();
      const Domain& domain = input.domains.emplace_back(
          column.taxonomy
              ? Domain(column.taxonomy, allows_missing)
              : Domain(NumericRange{column.domain->first.units, column.domain->second.units, 0, {}}, allows_missing));
      CodeColumn& codes = input.table.quasi_identifiers.emplace_back(domain.size(), column.cells.size());
      for (std::size_t row = 0; row < column.cells.size(); ++row)
        codes.Set(row, domain.ParseLabel(column.cells[row]).value().lo);
    } else if (column.role == Role::kSensitive || column.role == Role::kClass) {
      ValueColumn& values = input.values.emplace_back();
      values.name = column.name;
      values.values = column.cells;
      std::sort(values.values.begin(), values.values.end());
      values.values.erase(std::unique(values.values.begin(), values.values.end()), values.values.end());
      values.codes = CodeColumn(values.values.size(), column.cells.size());
      for (std::size_t row = 0; row < column.cells.size(); ++row) {
        const auto found = std::find(values.values.begin(), values.values.end(), column.cells[row]);
        values.codes.Set(row, static_cast<Code>(found - values.values.begin()));
      }
    }
  }
};

}  // namespace pentimento::join_fixture
