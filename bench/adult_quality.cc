// What the partition loses on UCI Adult: adult_quality PATH-OF-adult.data [k]. Eight quasi-identifiers, the 30,162
// rows without '?', flat taxonomies whose values are in alphabetical order or from the most frequent on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "anonymize/partition/partition.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

struct Column {
  std::size_t field;
  std::int64_t lo;  // lo == hi: categorical
  std::int64_t hi;
};
// age, workclass, education-num, marital-status, occupation, race, sex, native-country.
constexpr std::array<Column, 8> kColumns = {
    {{0, 17, 90}, {1, 0, 0}, {4, 1, 16}, {5, 0, 0}, {6, 0, 0}, {8, 0, 0}, {9, 0, 0}, {13, 0, 0}}};

enum class LeafOrder { kAlphabetical, kByFrequency };

std::vector<std::vector<std::string>> ReadRows(const char* path) {
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

std::vector<std::string> ValuesInOrder(const std::vector<std::vector<std::string>>& rows, std::size_t field,
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

Encoded Encode(const std::vector<std::vector<std::string>>& rows, LeafOrder order) {
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

void Report(const Encoded& encoded, LeafOrder order, const PartitionOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Draft draft = AnonymizeByPartition(encoded.table, encoded.domains, options).value();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  const Metrics metrics = Measure(draft, encoded.domains, options.k);
  fmt::print("{:<9} {:<8} {:<13} classes {:>5}  discernibility {:>10}  NCP {:>7.3f} %  C_AVG {:.3f}  {:.1f} ms\n",
             options.form == CategoryForm::kSets ? "sets" : "taxonomy",
             options.boxes == BoxKind::kMembers ? "members" : "region",
             order == LeafOrder::kAlphabetical ? "alphabetical" : "by frequency", metrics.classes,
             static_cast<std::uint64_t>(metrics.discernibility), metrics.ncp_percent, metrics.c_avg, took.count());
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: adult_quality PATH-OF-adult.data [k]\n");
    return 2;
  }
  const std::uint64_t k = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
  const auto rows = ReadRows(argv[1]);
  fmt::print("{} rows, k = {}\n", rows.size(), k);
  for (const LeafOrder order : {LeafOrder::kAlphabetical, LeafOrder::kByFrequency}) {
    const Encoded encoded = Encode(rows, order);
    for (const CategoryForm form : {CategoryForm::kSets, CategoryForm::kTaxonomy}) {
      for (const BoxKind boxes : {BoxKind::kMembers, BoxKind::kRegion}) Report(encoded, order, {k, form, boxes});
    }
  }
  return 0;
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) { return pentimento::Main(argc, argv); }
