// UCI Adult as codes: eight quasi-identifiers, the rows without '?', flat taxonomies whose values are in alphabetical
// order or from the most frequent on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::adult {

struct Column {
  std::size_t field;
  std::int64_t lo;  // lo == hi: categorical
  std::int64_t hi;
};
// age, workclass, education-num, marital-status, occupation, race, sex, native-country.
constexpr std::array<Column, 8> kColumns = {
    {{0, 17, 90}, {1, 0, 0}, {4, 1, 16}, {5, 0, 0}, {6, 0, 0}, {8, 0, 0}, {9, 0, 0}, {13, 0, 0}}};

enum class LeafOrder { kAlphabetical, kByFrequency };

inline std::vector<std::vector<std::string>> ReadRows(const char* path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.find('?') != std::string::npos) continue;
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(", ", begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = end + 2;
    }
    rows.push_back(std::move(fields));
  }
  return rows;
}

inline std::vector<std::string> ValuesInOrder(const std::vector<std::vector<std::string>>& rows, std::size_t field,
                                              LeafOrder order) {
  std::map<std::string, std::size_t> counts;
  for (const auto& row : rows) ++counts[row[field]];
  std::vector<std::string> values;
  for (const auto& [value, count] : counts) values.push_back(value);
  if (order == LeafOrder::kByFrequency) {
    std::ranges::stable_sort(values, [&](const std::string& a, const std::string& b) { return counts[a] > counts[b]; });
  }
  return values;
}

struct Encoded {
  std::vector<Domain> domains;
  EncodedTable table;
};

inline Encoded Encode(const std::vector<std::vector<std::string>>& rows, LeafOrder order) {
  Encoded encoded;
  encoded.table.rows = rows.size();
  for (const Column& column : kColumns) {
    const bool is_numeric = column.lo < column.hi;
    if (is_numeric) {
      encoded.domains.emplace_back(NumericRange{column.lo, column.hi, 0, {}}, false);
    } else {
      const std::vector<std::string> values = ValuesInOrder(rows, column.field, order);
      encoded.domains.emplace_back(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
    }
    const Domain& domain = encoded.domains.back();
    CodeColumn codes(domain.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string& cell = rows[i][column.field];
      codes.Set(
          i, is_numeric ? static_cast<Code>(std::stoll(cell) - column.lo) : domain.taxonomy().FindLeaf(cell).value());
    }
    encoded.table.quasi_identifiers.push_back(std::move(codes));
  }
  return encoded;
}

}  // namespace pentimento::adult
