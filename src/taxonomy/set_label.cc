#include "taxonomy/set_label.h"

#include <algorithm>
#include <vector>

namespace pentimento {
namespace {

constexpr std::string_view kEscaped = "{|}\\";

void AppendEscaped(std::string_view label, std::string& set) {
  for (const char c : label) {
    if (kEscaped.find(c) != std::string_view::npos) set += '\\';
    set += c;
  }
}

// The labels between the braces, without their escapes.
std::optional<std::vector<std::string>> SplitSet(std::string_view set) {
  if (set.size() < 2 || set.front() != '{' || set.back() != '}') return std::nullopt;
  set = set.substr(1, set.size() - 2);
  std::vector<std::string> labels(1);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '|') {
      labels.emplace_back();
    } else if (set[i] == '\\') {
      // Only what needs it is escaped; at the very end, the escape was meant for the closing brace.
      if (++i == set.size() || kEscaped.find(set[i]) == std::string_view::npos) return std::nullopt;
      labels.back() += set[i];
    } else if (kEscaped.find(set[i]) != std::string_view::npos) {
      return std::nullopt;
    } else {
      labels.back() += set[i];
    }
  }
  return labels;
}

}  // namespace

std::string WriteSetLabel(const Taxonomy& taxonomy, Interval leaves) {
  std::vector<Taxonomy::NodeId> parts = taxonomy.Decompose(leaves);
  if (parts.front() == Taxonomy::kRoot) parts = taxonomy.root().children;
  if (parts.size() == 1) return taxonomy.node(parts.front()).label;
  std::string set;
  for (const Taxonomy::NodeId part : parts) {
    set += set.empty() ? '{' : '|';
    AppendEscaped(taxonomy.node(part).label, set);
  }
  return set + '}';
}

std::optional<Interval> ParseSetLabel(const Taxonomy& taxonomy, std::string_view label) {
  const auto labels = SplitSet(label);
  if (!labels || labels->size() < 2) return std::nullopt;
  std::vector<Interval> parts;
  for (const std::string& part : *labels) {
    const auto node = taxonomy.FindNode(part);
    if (!node || *node == Taxonomy::kRoot) return std::nullopt;
    parts.push_back(taxonomy.node(*node).leaves);
  }
  std::sort(parts.begin(), parts.end());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].lo != parts[i - 1].hi + 1) return std::nullopt;
  }
  return Interval{parts.front().lo, parts.back().hi};
}

}  // namespace pentimento
