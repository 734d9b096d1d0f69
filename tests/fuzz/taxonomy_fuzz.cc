// A taxonomy; what is read is written and read again.
#include <algorithm>

#include "fuzz/fuzz.h"
#include "taxonomy/taxonomy.h"

using namespace pentimento;

namespace {

bool AreEqual(const Taxonomy& one, const Taxonomy& other) {
  return std::ranges::equal(one.nodes(), other.nodes(), [&](const Taxonomy::Node& a, const Taxonomy::Node& b) {
    const bool is_root = &a == &one.root();  // written as "*", whatever it was called
    return (is_root || a.label == b.label) && a.leaves == b.leaves && a.parent == b.parent && a.children == b.children;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Taxonomy> taxonomy = Taxonomy::Parse(fuzz::TextOf(data, size), "taxonomy.csv");
  if (!fuzz::Took(taxonomy)) return 0;
  for (Code leaf = 0; leaf < taxonomy->leaf_count(); ++leaf)
    fuzz::Require(taxonomy->FindLeaf(taxonomy->leaf_label(leaf)) == leaf, "a leaf is found by its label");
  const Result<Taxonomy> again = Taxonomy::Parse(taxonomy->ToText(), "taxonomy.csv");
  fuzz::Require(fuzz::Took(again) && AreEqual(*taxonomy, *again), "a taxonomy that is written is read as it was");
  return 0;
}
