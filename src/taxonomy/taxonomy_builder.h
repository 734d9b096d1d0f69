// Puts a taxonomy together from its paths, leaf to root, and refuses paths that do not make a tree. Only
// Taxonomy itself uses it; once Finish() returns, the tree is valid for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

class TaxonomyBuilder {
 public:
  // Adds the path of one leaf: leaf first, root last. `line` is where it stands. What is wrong with it comes back
  // without the place, since only the caller knows what its lines are called.
  std::optional<std::string> AddPath(const std::vector<std::string>& labels, std::size_t line);

  bool empty() const { return entries_.empty(); }
  // At least one path has been added, and none was refused.
  Taxonomy Finish();

 private:
  using EntryId = std::uint32_t;
  static constexpr EntryId kNone = UINT32_MAX;

  // A node while the tree still grows; ids follow the order of appearance.
  struct Entry {
    std::string label;
    EntryId parent = kNone;
    std::vector<EntryId> children;
    std::size_t parent_line = 0;  // where the parent was named
    std::size_t leaf_line = 0;    // where it is a leaf, 0 for never
    std::size_t inner_line = 0;   // where it is not a leaf, 0 for never
    std::size_t last_line = 0;    // where it was seen last: a second time on one line is a cycle
  };

  EntryId Intern(const std::string& label);
  std::optional<std::string> FindFaultyLabel(const std::vector<std::string>& labels) const;
  std::optional<std::string> MarkSeen(const std::vector<EntryId>& path, std::size_t line);
  std::optional<std::string> MarkLeaf(const std::vector<EntryId>& path, std::size_t line);
  std::optional<std::string> SetParent(EntryId child, EntryId parent, std::size_t line);
  bool IsAbove(EntryId upper, EntryId lower) const;

  static void SpreadLeaves(Taxonomy& taxonomy);

  std::vector<Entry> entries_;
  std::unordered_map<std::string, EntryId> id_of_label_;  // only looked up, never walked
  EntryId root_ = kNone;
};

}  // namespace pentimento
