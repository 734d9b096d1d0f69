// Where the rows of a node go once it is decided how it is specialized: first what comes back, then branch after
// branch, each in the order it was in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "base/random.h"

namespace pentimento::recode {

// A range of records in one of the buffers.
struct Places {
  std::size_t begin = 0;
  std::size_t end = 0;
  partition::Buffer buffer = partition::Buffer::kFront;

  std::size_t size() const { return end - begin; }
};

struct Specialization {
  Places remainder;              // may be empty
  std::vector<Places> branches;  // never empty
  // Where they are known already: the bounds of the branches in all columns, then those of the remainder.
  Box bounds;
};

// How a node is specialized. `branches` is empty where it is not.
struct Choice {
  std::size_t column = 0;
  Level level;
  BranchPlan plan;
  std::vector<Branch> branches;
};

// One of them is used again and again, by one thread.
class Placement {
 public:
  // Children are numbered below `most_children`, signatures below `signatures`. `lots`: draws which rows are pulled
  // back. `most_cells`: where a table by branch and signature would have more, what is pulled back is searched for.
  Placement(std::size_t most_children, std::size_t signatures, const Random& lots,
            std::size_t most_cells = std::size_t{1} << 16)
      : lots_(lots), signatures_(signatures), most_cells_(most_cells), slot_of_child_(most_children) {}

  // Another node. What is made of it is in the other buffer; it is good until the next call.
  const Specialization& Begin(Places node, const Choice& choice);

  // A slot for each branch, and the last one for what comes back; and where each of them goes on.
  std::uint32_t SlotOf(Code child) const { return slot_of_child_[child]; }
  std::span<const std::size_t> next() const { return next_; }
  // The bounds of the slots in so many columns, where moving the rows has shown them.
  void NoteBounds(std::span<const Interval> of_slots, std::size_t columns);

  // Where the next rows go, if none is pulled back: row i of them is of child_of(i).
  template <typename ChildOf>
  void Place(std::span<std::size_t> places, ChildOf child_of) {
    const std::uint32_t* const slot_of_child = slot_of_child_.data();
    std::size_t* const next = next_.data();
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = next[slot_of_child[child_of(i)]]++;
  }
  // The same if some are, drawn by lot, row after row: as likely as so many of those that are left are still to be
  // pulled back. Whoever knows the order of the input does not know who it was.
  template <typename ChildOf, typename SignatureOf>
  void PlaceByLot(std::span<std::size_t> places, ChildOf child_of, SignatureOf signature_of) {
    const std::size_t back = next_.size() - 1;
    const std::span<const Drawn> drawn = FindDrawn(places, child_of, signature_of);
    Random::Cursor lots(lots_);
    for (const auto [i, draw] : drawn) places[i] = IsPulledBack(pulled_[draw], lots) ? back : places[i];
    std::size_t* const next = next_.data();
    for (std::size_t& place : places) place = next[place]++;
  }

 private:
  // Without jumps that depend on the lot: these would be mispredicted again and again.
  static bool IsPulledBack(PulledBack& pulled, Random::Cursor& lots) {
    const std::uint32_t is_drawn = pulled.rows != 0 ? 1 : 0;
    // Random::Below(pulled.of), where it is drawn at all.
    std::uint64_t product = std::uint64_t{lots.Peek32()} * pulled.of;
    if (static_cast<std::uint32_t>(product) < pulled.of) [[unlikely]] {
      const std::uint32_t threshold = (0U - pulled.of) % pulled.of;
      while (is_drawn != 0 && static_cast<std::uint32_t>(product) < threshold) {
        lots.Skip(1);
        product = std::uint64_t{lots.Peek32()} * pulled.of;
      }
    }
    const bool is_pulled_back = product >> 32 < pulled.rows;
    lots.Skip(is_drawn);
    pulled.of -= is_drawn;
    pulled.rows -= is_pulled_back ? 1 : 0;
    return is_pulled_back;
  }
  // A row of which it is drawn whether it is pulled back.
  struct Drawn {
    std::uint32_t row;
    std::uint32_t draw;
  };
  // Notes the slot of each row, and finds those that are drawn: most are not.
  template <typename ChildOf, typename SignatureOf>
  std::span<const Drawn> FindDrawn(std::span<std::size_t> slots, ChildOf child_of, SignatureOf signature_of) {
    if (drawn_.size() < slots.size()) drawn_.resize(slots.size());
    const std::uint32_t* const slot_of_child = slot_of_child_.data();
    const std::uint32_t* const draw_of_cell = draw_of_cell_.data();
    Drawn* const drawn = drawn_.data();
    const bool has_cells = has_cells_;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      const std::uint32_t slot = slot_of_child[child_of(i)];
      const Code signature = signature_of(i);
      const std::uint32_t draw = has_cells ? draw_of_cell[slot * signatures_ + signature] : FindDraw(slot, signature);
      slots[i] = slot;
      drawn[count] = {i, draw};
      count += draw != 0 ? 1 : 0;
    }
    return std::span(drawn_).first(count);
  }
  std::uint32_t FindDraw(std::size_t slot, Code signature) const;
  void ClearCells();
  void FillCells();

  Random lots_;
  std::size_t signatures_;
  std::size_t most_cells_;
  bool has_cells_ = true;
  std::vector<std::uint32_t> slot_of_child_;
  std::vector<std::uint8_t> stands_;         // by branch
  std::vector<std::size_t> next_;            // by slot
  std::vector<PulledBack> pulled_;           // what is still to be pulled back; the first is nothing
  std::vector<std::uint32_t> first_pulled_;  // by slot, into pulled_; one more at the end
  std::vector<std::uint32_t> draw_of_cell_;  // by slot and signature, into pulled_
  std::vector<Drawn> drawn_;
  Specialization made_;
};

}  // namespace pentimento::recode
