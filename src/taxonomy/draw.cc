#include "taxonomy/draw.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

// What a drawing consists of besides labels.
struct Pen {
  std::string_view branch, last_branch, past, more;
};
constexpr Pen kLines = {.branch = "├─ ", .last_branch = "└─ ", .past = "│  ", .more = "…"};
constexpr Pen kAscii = {.branch = "|- ", .last_branch = "`- ", .past = "|  ", .more = "..."};

class Drawing {
 public:
  Drawing(const Taxonomy& taxonomy, const DrawOptions& options)
      : taxonomy_(taxonomy), options_(options), pen_(options.in_ascii ? kAscii : kLines) {}

  std::string Draw() {
    AddNode(Taxonomy::kRoot);
    while (!open_.empty()) {
      Open& parent = open_.back();
      const auto& children = taxonomy_.node(parent.node).children;
      const std::size_t shown = std::min(children.size(), options_.max_children);
      if (parent.next == shown) {
        if (shown < children.size()) AddRest(children.size() - shown);
        Close();
        continue;
      }
      const Taxonomy::NodeId child = children[parent.next++];
      const bool last = parent.next == children.size();
      text_ += indent_;
      text_ += last ? pen_.last_branch : pen_.branch;
      below_ = last ? "   " : pen_.past;
      AddNode(child);
    }
    return std::move(text_);
  }

 private:
  // A node whose children are being drawn.
  struct Open {
    Taxonomy::NodeId node;
    std::size_t next;           // child to draw next
    std::size_t indent_before;  // bytes of indentation to return to
  };

  // Ends the line of the node and opens it for its children, if they are to be shown.
  void AddNode(Taxonomy::NodeId id) {
    const Taxonomy::Node& node = taxonomy_.node(id);
    text_ += node.label;
    if (!node.children.empty()) {
      text_ += fmt::format(" ({} {})", node.leaves.size(), node.leaves.size() == 1 ? "leaf" : "leaves");
    }
    if (id == Taxonomy::kRoot && node.label != kPublishedRoot)
      text_ += fmt::format(", published as {}", kPublishedRoot);
    const bool hidden = !node.children.empty() && node.depth >= options_.max_depth;
    text_ += hidden ? fmt::format(" {}\n", pen_.more) : "\n";
    if (hidden || node.children.empty()) return;
    open_.push_back({id, 0, indent_.size()});
    indent_ += below_;
  }

  void AddRest(std::size_t count) {
    text_ += fmt::format("{}{}{} {} more\n", indent_, pen_.last_branch, pen_.more, count);
  }

  void Close() {
    indent_.resize(open_.back().indent_before);
    open_.pop_back();
  }

  const Taxonomy& taxonomy_;
  const DrawOptions& options_;
  Pen pen_;
  std::vector<Open> open_;  // a stack of our own: depth is the user's choice
  std::string indent_;
  std::string_view below_;  // what the children of the node just begun are indented by
  std::string text_;
};

}  // namespace

std::string DrawTaxonomy(const Taxonomy& taxonomy, const DrawOptions& options) {
  return Drawing(taxonomy, options).Draw();
}

}  // namespace pentimento
