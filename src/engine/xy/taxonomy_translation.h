// Two taxonomies of one attribute: what the leaves of one mean in the codes of the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

class TaxonomyTranslation {
 public:
  // A leaf of `from` is a node of `to` with the same label; or, where `from` is finer, it lies below a leaf of `to`.
  // Both must outlive it.
  TaxonomyTranslation(const Taxonomy& from, const Taxonomy& to);

  // These leaves of `from`, which it calls `label` (or a set of labels), as codes of `to`. An error is kBadInput and
  // names the label by which the two differ; labels of taxonomies are public.
  Result<Interval> Translate(Interval leaves, const std::string& label) const;

 private:
  std::optional<Interval> TranslateLeaf(Code leaf) const;

  const Taxonomy& from_;
  const Taxonomy& to_;
  std::vector<std::optional<Interval>> of_leaf_;
};

}  // namespace pentimento
