#include "taxonomy/taxonomy.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/check.h"
#include "base/regular_file.h"
#include "fmt/core.h"
#include "taxonomy/arx_text.h"
#include "taxonomy/label.h"
#include "taxonomy/taxonomy_builder.h"

namespace pentimento {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

// The half of a hash that does not choose the slot.
std::uint32_t HighHalf(std::size_t hash) { return static_cast<std::uint32_t>(std::uint64_t{hash} >> 32); }

}  // namespace

Result<Taxonomy> Taxonomy::Parse(std::string_view text, std::string_view source) {
  ArxLines lines(text, source);
  TaxonomyBuilder builder;
  while (true) {
    PENTIMENTO_ASSIGN(const std::vector<std::string> labels, lines.Next());
    if (labels.empty()) break;
    if (const auto fault = builder.AddPath(labels, lines.line())) return lines.ErrorHere(*fault);
  }
  if (builder.empty()) {
    return Error{ErrorCode::kBadPolicy,
                 fmt::format("{}:1: the taxonomy is empty; write one line per leaf, leaf first and root last, such as "
                             "Bachelors;Higher education;*",
                             source)};
  }
  return builder.Finish();
}

Result<Taxonomy> Taxonomy::ReadFile(const std::filesystem::path& path) {
  const auto refuse = [&](std::string_view why) {
    return Error{
        ErrorCode::kBadPolicy,
        fmt::format("{}: cannot read the taxonomy ({}); check the path and its permissions", path.string(), why)};
  };
  Result<RegularFile> file = RegularFile::Open(path);
  if (!file.ok()) return refuse(file.error().message);
  std::string text;
  std::size_t line_begin = 0;
  while (true) {
    const std::size_t begin = text.size();
    text.resize(begin + kBlock);
    const Result<std::size_t> got = file->Read(std::span(text).subspan(begin));
    if (!got.ok()) return refuse(got.error().message);
    text.resize(begin + *got);
    if (*got == 0) return Parse(text, path.string());
    // What is no taxonomy may have no line end at all: it is not read to its end only to be refused.
    const std::size_t last_end = text.find_last_of('\n');
    if (last_end != std::string::npos) line_begin = last_end + 1;
    if (text.size() - line_begin > kLongestLine || text.size() > kLargestFile)
      return refuse(text.size() > kLargestFile
                        ? fmt::format("it is larger than {} bytes", kLargestFile)
                        : fmt::format("a line of it is longer than {} bytes; write one line per leaf", kLongestLine));
  }
}

Result<Taxonomy> Taxonomy::Flat(std::span<const std::string> values) {
  if (values.empty()) return Error{ErrorCode::kBadPolicy, "the list of values is empty; name at least one value"};
  TaxonomyBuilder builder;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Checked here so that messages speak of values; what is left for the builder are duplicates.
    if (const auto fault = FindLabelFault(values[i])) {
      return Error{ErrorCode::kBadPolicy, fmt::format("value {} of the list {}", i + 1, *fault)};
    }
    if (builder.AddPath({values[i], std::string(kPublishedRoot)}, i + 1)) {
      return Error{ErrorCode::kBadPolicy,
                   fmt::format("value {} of the list, '{}', is named twice; remove one", i + 1, values[i])};
    }
  }
  return builder.Finish();
}

std::uint32_t Taxonomy::height() const {
  std::uint32_t height = 0;
  for (const Node& node : nodes_) height = std::max(height, node.depth);
  return height;
}

void Taxonomy::IndexLabels() {
  slots_.assign(std::bit_ceil(2 * nodes_.size()), Slot());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const std::size_t hash = std::hash<std::string_view>()(nodes_[id].label);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].node != kNoNode) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {HighHalf(hash), id};
  }
}

std::optional<Taxonomy::NodeId> Taxonomy::FindNode(std::string_view label) const {
  if (label == kPublishedRoot) return kRoot;
  const std::size_t hash = std::hash<std::string_view>()(label);
  // Ends, because at least half of the slots are free.
  for (std::size_t at = hash & (slots_.size() - 1); slots_[at].node != kNoNode; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash == HighHalf(hash) && nodes_[slots_[at].node].label == label) return slots_[at].node;
  }
  return std::nullopt;
}

std::optional<Code> Taxonomy::FindLeaf(std::string_view label) const {
  const auto id = FindNode(label);
  if (!id || !nodes_[*id].children.empty()) return std::nullopt;
  return nodes_[*id].leaves.lo;
}

Taxonomy::NodeId Taxonomy::Cover(Interval codes) const {
  Check(codes.lo <= codes.hi && codes.hi < leaf_count(), "the interval lies within the leaves");
  NodeId id = leaf_nodes_[codes.lo];
  while (!nodes_[id].leaves.Contains(codes)) id = nodes_[id].parent;
  return id;
}

std::vector<Taxonomy::NodeId> Taxonomy::Decompose(Interval codes) const {
  Check(codes.lo <= codes.hi && codes.hi < leaf_count(), "the interval lies within the leaves");
  std::vector<NodeId> parts;
  // Greedy from the left is fewest: nodes nest or are disjoint, so the largest node that starts here and fits
  // swallows every other choice. Of several nodes over the same leaves the lowest is taken, as in Cover.
  for (std::uint64_t next = codes.lo; next <= codes.hi; next = std::uint64_t{nodes_[parts.back()].leaves.hi} + 1) {
    NodeId best = leaf_nodes_[next];
    for (NodeId id = best; id != kRoot;) {
      id = nodes_[id].parent;
      if (nodes_[id].leaves.lo != next || nodes_[id].leaves.hi > codes.hi) break;
      if (nodes_[id].leaves != nodes_[best].leaves) best = id;
    }
    parts.push_back(best);
  }
  return parts;
}

Taxonomy Taxonomy::WithLabels(std::span<const std::string> labels) const {
  Check(labels.size() == nodes_.size(), "every node has a label");
  Taxonomy renamed = *this;
  for (NodeId id = 0; id < nodes_.size(); ++id) renamed.nodes_[id].label = labels[id];
  renamed.IndexLabels();
  return renamed;
}

std::string Taxonomy::ToText() const {
  std::string text;
  std::vector<std::string_view> path;
  for (const NodeId leaf : leaf_nodes_) {
    path.clear();
    for (NodeId id = leaf; id != kRoot; id = nodes_[id].parent) path.push_back(nodes_[id].label);
    path.push_back(kPublishedRoot);
    text += WriteArxLine(path);
  }
  return text;
}

}  // namespace pentimento
