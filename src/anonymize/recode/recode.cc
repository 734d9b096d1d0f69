#include "anonymize/recode/recode.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "anonymize/recode/specializer.h"
#include "anonymize/sensitive/whole_table.h"
#include "base/check.h"
#include "base/parallel.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

using recode::ColumnLevels;
using recode::NodeRows;
using recode::Places;
using recode::Specialization;
using recode::Specializer;

// Groups that are final: their places, and the box each is published with.
struct FinalGroups {
  std::vector<Places> places;
  std::vector<Interval> boxes;
};

class RecodingTree {
 public:
  RecodingTree(NodeRows& rows, const ClassLimits& limits, std::span<const Domain> domains, const Seed& lots)
      : rows_(rows), limits_(limits), domains_(domains), lots_(lots), levels_(domains.begin(), domains.end()) {}

  std::vector<FinalGroups> Grow() {
    tasks_.Run([this] { GrowSubtree({{0, rows_.size()}, ~std::uint64_t{0}}); });
    tasks_.Wait();
    return std::move(groups_);
  }

 private:
  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  struct Node {
    Places places;
    std::uint64_t differs;  // a bit for each of the first 64 columns: members may differ in it
  };

  // Depth first with a stack of its own: how deep the tree gets depends on the data.
  void GrowSubtree(Node root) {
    // Which nodes a subtree has follows from the table, and so does where its lots begin.
    Random lots(lots_, fmt::format("recode {} {}", root.places.begin, root.places.end));
    Specializer specializer(rows_, limits_, levels_, lots);
    FinalGroups groups;
    Box bounds(domains_.size());
    std::vector<Node> open = {root};
    while (!open.empty()) {
      Node node = open.back();
      open.pop_back();
      FindBounds(node, bounds);
      const std::optional<Specialization> made = specializer.Specialize(node.places, bounds);
      if (!made) {
        Finish(node.places, bounds, groups);
        continue;
      }
      for (const Places& branch : made->branches) GrowLater({branch, node.differs}, open);
      if (made->remainder.size() == 0) continue;
      Node remainder = {made->remainder, node.differs};
      if (IsWorthAnotherTry(remainder.places, node.places)) {
        GrowLater(remainder, open);
      } else {
        FindBounds(remainder, bounds);
        Finish(remainder.places, bounds, groups);
      }
    }
    const std::scoped_lock lock(mutex_);
    groups_.push_back(std::move(groups));
  }

  void GrowLater(Node node, std::vector<Node>& open) {
    if (node.places.size() > kTaskRows) {
      tasks_.Run([this, node] { GrowSubtree(node); });
    } else {
      open.push_back(node);
    }
  }

  // What came back keeps the rule, so it is a node like any other. Only if it is clearly smaller than the node it came
  // from: otherwise a node that loses k rows at a time would be gone over again and again.
  static bool IsWorthAnotherTry(Places remainder, Places node) {
    return remainder.size() <= node.size() - node.size() / 8;
  }

  // Whoever does not differ in a column does not differ in it further down.
  void FindBounds(Node& node, Box& bounds) const {
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      const std::uint64_t bit = c < 64 ? std::uint64_t{1} << c : 0;
      const std::size_t end = bit == 0 || (node.differs & bit) != 0 ? node.places.end : node.places.begin + 1;
      bounds[c] = rows_.Bounds(c, node.places.begin, end);
      if (bounds[c].lo == bounds[c].hi) node.differs &= ~bit;
    }
  }

  void Finish(Places group, const Box& bounds, FinalGroups& groups) const {
    groups.places.push_back(group);
    for (std::size_t c = 0; c < bounds.size(); ++c)
      groups.boxes.push_back(domains_[c].Cover(bounds[c], CategoryForm::kTaxonomy));
  }

  NodeRows& rows_;
  const ClassLimits& limits_;
  std::span<const Domain> domains_;
  Seed lots_;
  std::vector<ColumnLevels> levels_;
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<FinalGroups> groups_;
};

// Numbers the groups by their places, which follow from the table alone and not from threads. Should
// two be published alike, they are one group, which keeps the rule as each of them does.
Draft MakeDraft(const NodeRows& rows, std::vector<FinalGroups> subtrees) {
  struct Group {
    Places places;
    const Interval* box;
  };
  std::vector<Group> groups;
  for (const FinalGroups& subtree : subtrees) {
    for (std::size_t g = 0; g < subtree.places.size(); ++g)
      groups.push_back({subtree.places[g], &subtree.boxes[g * rows.columns()]});
  }
  ParallelSort(groups.begin(), groups.end(),
               [](const Group& a, const Group& b) { return a.places.begin < b.places.begin; });
  Draft draft{.columns = rows.columns(), .boxes = {}, .group_of_row = std::vector<GroupId>(rows.size())};
  draft.boxes.reserve(groups.size() * draft.columns);
  for (const Group& group : groups) draft.boxes.insert(draft.boxes.end(), group.box, group.box + draft.columns);
  const std::vector<GroupId> merged = MergeEqualBoxes(draft.columns, draft.boxes);
  ParallelFor(groups.size(), 1 << 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      for (std::size_t place = groups[g].places.begin; place < groups[g].places.end; ++place)
        draft.group_of_row[rows.row(place)] = merged[g];
    }
  });
  return draft;
}

}  // namespace

Result<Draft> AnonymizeByRecoding(const EncodedTable& table, std::span<const Domain> domains,
                                  const RecodeOptions& options) {
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t k = std::max<std::uint64_t>(options.k, 1);
  PENTIMENTO_RETURN_IF_ERROR(CheckWholeTable(table, options.signatures, k, "recode"));
  if (domains.empty()) return Draft{.columns = 0, .boxes = {}, .group_of_row = std::vector<GroupId>(table.rows, 0)};
  const ClassLimits limits(options.signatures, k);
  NodeRows rows(table, options.signatures);
  RecodingTree tree(rows, limits, domains, options.lots);
  return MakeDraft(rows, tree.Grow());
}

}  // namespace pentimento
