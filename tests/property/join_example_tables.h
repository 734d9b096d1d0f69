// Small releases in words, for examples that a reader can check by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/xy_oracle.h"

namespace pentimento::join_examples {

// The examples are written in the oracle's words, wherever the engine has the same words for its own types.
using oracle::join::Column;
using oracle::join::Columns;
using oracle::join::Instance;
using oracle::join::Interval;
using oracle::join::Linkability;
using oracle::join::LinkabilityLimit;
using oracle::join::Row;
using oracle::join::Value;
using oracle::join::ValueSet;

// What labels mean. A tree in words, "any(d(d1 d2) d3)", has its leaves numbered from left to right. Without a tree the
// attribute has numbers: "7" or "0-9".
class Attribute {
 public:
  Attribute() = default;
  explicit Attribute(const std::string& tree) {
    std::vector<std::string> open;
    std::string label;
    std::uint32_t leaves = 0;
    for (const char c : tree) {
      if (c == '(') {
        labels_[label].lo = leaves;
        open.push_back(label);
        label.clear();
      } else if (c == ' ' || c == ')') {
        if (!label.empty()) labels_[label] = {leaves, leaves};
        leaves += label.empty() ? 0 : 1;
        label.clear();
        if (c == ' ') continue;
        labels_[open.back()].hi = leaves - 1;
        open.pop_back();
      } else {
        label += c;
      }
    }
  }

  Interval operator()(const std::string& label) const {
    if (!labels_.empty()) return labels_.at(label);
    const std::size_t dash = label.find('-');
    const auto lo = static_cast<std::uint32_t>(std::stoul(label));
    return {lo, dash == std::string::npos ? lo : static_cast<std::uint32_t>(std::stoul(label.substr(dash + 1)))};
  }

 private:
  std::map<std::string, Interval> labels_;
};

// "c1 d3, c3 d1 x9": a label for each attribute, and how often the row occurs.
inline std::vector<Row> Rows(const std::vector<Attribute>& attributes, const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, ',');) {
    std::istringstream labels(line);
    std::string label;
    Row row;
    for (const Attribute& attribute : attributes) {
      labels >> label;
      row.push_back(attribute(label));
    }
    const std::size_t times = labels >> label ? std::stoul(label.substr(1)) : 1;
    rows.insert(rows.end(), times, row);
  }
  return rows;
}

// The rows with one more column: a key.
inline std::vector<Row> WithKey(std::vector<Row> rows) {
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i].push_back({i, i});
  return rows;
}

// A_Y(X) is `least`; a_Y(x) is stated for some values x.
struct AnonymityFact {
  Columns x;
  Columns y;
  std::uint64_t least = 0;
  std::map<Value, std::uint64_t> of_x;
};

// L_Y(X) is exactly the limit, num/den in any terms; the counts a(x,y) of a(x) are stated for some x and sets.
struct LinkabilityFact {
  Columns x;
  LinkabilityLimit greatest;
  std::vector<Linkability> of_xy;
};

struct Example {
  Instance instance;
  std::size_t matches = 0;                           // rows of the join
  std::vector<std::set<std::size_t>> dangling = {};  // by release; left out where no row dangles
  std::vector<AnonymityFact> anonymities = {};
  std::vector<LinkabilityFact> linkabilities = {};
};

}  // namespace pentimento::join_examples
