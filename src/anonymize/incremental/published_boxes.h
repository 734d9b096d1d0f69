// What a series publishes: from the tree and its members to boxes, for all members or for those a release changed.
#pragma once

#include <span>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "base/category_form.h"
#include "release/classes.h"
#include "release/incremental_change.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Everybody's codes, by member.
EncodedTable CodesOfMembers(const IncrementalView& series, std::span<const Domain> domains);

// Everybody's box, by member: the publishable cover of the leaf's region.
Classes BoxesOfMembers(const IncrementalView& series, std::span<const Domain> domains, CategoryForm form);

// How regions are published: Domain::Cover of each interval. Remembers the last answers, because regions of neighbours
// share most of their intervals.
class RegionCovers {
 public:
  RegionCovers(std::span<const Domain> domains, CategoryForm form)
      : domains_(domains), form_(form), known_(domains.size() * kRemembered) {}

  void Append(std::span<const Interval> region, Box& boxes) {
    boxes.resize(boxes.size() + region.size());
    Write(region, boxes.data() + boxes.size() - region.size());
  }
  void Write(std::span<const Interval> region, Interval* box) {
    for (std::size_t c = 0; c < region.size(); ++c) box[c] = CoverOf(c, region[c]);
  }

 private:
  Interval CoverOf(std::size_t column, Interval region) {
    Known& known = known_[column * kRemembered + (region.lo * 31 + region.hi) % kRemembered];
    if (known.region != region) known = {region, domains_[column].Cover(region, form_)};
    return known.cover;
  }

  struct Known {
    Interval region{1, 0};  // no interval is like this one
    Interval cover;
  };
  static constexpr std::size_t kRemembered = 512;

  std::span<const Domain> domains_;
  CategoryForm form_;
  std::vector<Known> known_;
};

struct DescribedChange {
  EncodedTable table;  // the codes of the rows of `change`
  IncrementalChange change;
};

// What the last segment of `series` changed, with every member as a row, for whoever wants to look at all of them.
DescribedChange DescribeEverything(const IncrementalView& series, std::span<const Domain> domains, CategoryForm form,
                                   bool with_arrivals);

}  // namespace pentimento
