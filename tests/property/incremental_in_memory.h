// Series that are kept in memory, and batches drawn at random for them: what the property tests about the maker of a
// series walk through.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/random.h"
#include "base/result.h"
#include "release/incremental_history.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::property {

inline std::vector<Domain> SomeDomains(Random& random) {
  static const auto kTree = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;B;X;*\nf;C;Y;*\ng;D;Y;*\nh;D;Y;*\ni;Z;*\nj;*\n", "tree")
          .value());
  static const auto kFlat =
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r", "s", "t"}).value());
  std::vector<Domain> domains;
  const std::size_t columns = 1 + random.Below(3);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool allows_missing = random.Below(4) == 0;
    switch (random.Below(3)) {
      case 0:
        domains.emplace_back(NumericRange{0, 1 + static_cast<std::int64_t>(random.Below(30)), 0, {}}, allows_missing);
        break;
      case 1:
        domains.emplace_back(kTree, allows_missing);
        break;
      default:
        domains.emplace_back(kFlat, allows_missing);
    }
  }
  return domains;
}

inline EncodedTable SomePeople(Random& random, const std::vector<Domain>& domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) {
    CodeColumn codes(domain.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) codes.Set(row, random.Below(domain.size()));
    table.quasi_identifiers.push_back(std::move(codes));
  }
  return table;
}

// With what every release published of everybody.
class Series {
 public:
  Series(std::vector<Domain> domains, const InsertOptions& options) : domains_(std::move(domains)), options_(options) {}

  Result<IncrementalStep> Add(const EncodedTable& batch, const std::vector<CaseNumber>& withdrawn) {
    Result<IncrementalStep> step = InsertBatch(view(), domains_, batch, withdrawn, options_);
    if (!step.ok()) return step;
    segments_.push_back(std::make_unique<SegmentData>(*step->segment));
    const Classes draft = BoxesOfMembers(view(), domains_, options_.form);
    IncrementalRelease release{domains_.size(), draft.boxes, {}, draft.of_row};
    for (CaseNumber member = 0; member < draft.of_row.size(); ++member) release.cases.push_back(member);
    history_.push_back(std::move(release));
    return step;
  }

  IncrementalView view() const {
    IncrementalView view{domains_.size(), {}};
    for (const auto& segment : segments_) view.segments.push_back(segment->view());
    return view;
  }
  const std::vector<Domain>& domains() const { return domains_; }
  const IncrementalHistory& history() const { return history_; }
  CaseNumber members() const { return view().member_count(); }

 private:
  std::vector<Domain> domains_;
  InsertOptions options_;
  std::vector<std::unique_ptr<SegmentData>> segments_;
  IncrementalHistory history_;
};

inline std::vector<CaseNumber> SomeMembers(Random& random, const Series& series, std::set<CaseNumber>& gone) {
  std::vector<CaseNumber> leaving;
  for (CaseNumber member = 0; member < series.members(); ++member) {
    if (random.Below(8) != 0 || gone.contains(member)) continue;
    leaving.push_back(member);
    gone.insert(member);
  }
  return leaving;
}

}  // namespace pentimento::property
