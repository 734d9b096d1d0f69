#include "taxonomy/padded_text.h"

#include <string_view>
#include <vector>

#include "taxonomy/arx_text.h"
#include "taxonomy/label.h"

namespace pentimento {

namespace {

// One very long line would make each of very many as long.
constexpr std::uint64_t kMostPaddedLabels = 100'000'000;

}  // namespace

std::string PaddedText(const Taxonomy& taxonomy) {
  const std::uint32_t height = taxonomy.height();
  if (std::uint64_t{height} * taxonomy.leaf_count() > kMostPaddedLabels) return taxonomy.ToText();
  std::string text;
  std::vector<std::string_view> path;
  for (Code code = 0; code < taxonomy.leaf_count(); ++code) {
    Taxonomy::NodeId id = taxonomy.leaf_node(code);
    path.assign(height - taxonomy.node(id).depth, taxonomy.node(id).label);
    for (; id != Taxonomy::kRoot; id = taxonomy.node(id).parent) path.push_back(taxonomy.node(id).label);
    path.push_back(kPublishedRoot);
    text += WriteArxLine(path);
  }
  return text;
}

}  // namespace pentimento
