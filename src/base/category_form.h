// How categorical values may be published: taxonomy nodes only, or any set of neighbouring leaves.
#pragma once

namespace pentimento {

enum class CategoryForm { kTaxonomy, kSets };

}  // namespace pentimento
