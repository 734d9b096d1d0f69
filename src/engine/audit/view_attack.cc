// A6: what a join of two views of the same people with other columns tells; A8: rows that were moved because of their
// value.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "audit/moved_rows.h"
#include "audit/views.h"
#include "base/plural.h"
#include "engine/audit/attacks.h"

namespace pentimento {
namespace {

// Views with more different rows than this are not joined: it would take longer than all other attacks together.
constexpr std::size_t kMostDifferentRows = 200'000;
constexpr std::size_t kMostPairsOfViews = 45;
constexpr std::uint64_t kWorkOfView = std::uint64_t{1} << 28;

// The different rows of a release: quasi-identifiers as intervals, then sensitive columns as they are.
struct ViewOf {
  EarlierRelease rows;
  std::vector<std::string> names;
  std::vector<std::size_t> domain;  // of each quasi-identifier
  std::uint32_t quasi = 0;
};

std::optional<ViewOf> MakeView(const AuditedRelease& release) {
  ViewOf view{.rows = {}, .names = release.quasi_identifiers, .domain = release.domain_of, .quasi = 0};
  view.quasi = static_cast<std::uint32_t>(view.names.size());
  view.rows.name = release.name;
  view.rows.columns = view.names.size() + release.sensitive.size();
  std::map<std::vector<Code>, std::pair<std::uint64_t, std::uint64_t>> seen;  // records, and the first of them
  for (std::size_t row = 0; row < release.rows; ++row) {
    std::vector<Code> key = {release.units.of_row[row]};
    for (const SensitiveCells& cells : release.sensitive) key.push_back(cells.codes[row]);
    ++seen.try_emplace(std::move(key), 0, row).first->second.first;
    if (seen.size() > kMostDifferentRows) return std::nullopt;
  }
  for (const SensitiveCells& cells : release.sensitive) view.names.push_back(cells.column);
  for (const auto& [key, records] : seen) {
    const auto box = release.units.box(key.front());
    view.rows.cells.insert(view.rows.cells.end(), box.begin(), box.end());
    for (std::size_t i = 1; i < key.size(); ++i) view.rows.cells.push_back({key[i], key[i]});
    view.rows.records.push_back(records.first);
    view.rows.example.push_back(records.second);
  }
  return view;
}

// Common quasi-identifiers match where they have a value in common, sensitive columns where they are equal: that joins
// all that can be one person's, and may join more. A column whose values change joins nothing.
std::vector<CommonAttribute> CommonOf(const AuditView& view, const AuditedRelease& a, const AuditedRelease& b,
                                      const ViewOf& left, const ViewOf& right) {
  std::vector<CommonAttribute> common;
  for (std::uint32_t i = 0; i < left.names.size(); ++i) {
    for (std::uint32_t j = 0; j < right.names.size(); ++j) {
      const bool both_quasi = i < left.quasi && j < right.quasi && left.domain[i] == right.domain[j];
      const bool both_stay = i >= left.quasi && j >= right.quasi && left.names[i] == right.names[j] &&
                             !ValuesChange(view.question, a, left.names[i]) &&
                             !ValuesChange(view.question, b, right.names[j]);
      if (both_quasi || both_stay) common.push_back({{{0, i}, {1, j}}, /*by_overlap=*/true});
    }
  }
  return common;
}

// Whether everybody is known to be in both releases, so that each record has its partner in the join.
bool HoldSamePeople(const AuditView& view, std::size_t a, std::size_t b) {
  for (const LinkedPeople& link : view.links) {
    if (link.by != LinkedBy::kPeople) continue;
    std::optional<std::size_t> left, right;
    for (std::size_t i = 0; i < link.releases.size(); ++i) {
      if (link.releases[i].uncertain > 0) continue;
      if (link.releases[i].audited == a) left = i;
      if (link.releases[i].audited == b) right = i;
    }
    if (!left || !right) return false;
    const auto& in_left = link.common.releases[*left].class_of;
    const auto& in_right = link.common.releases[*right].class_of;
    return std::ranges::equal(
        in_left, in_right, [](ClassNumber x, ClassNumber y) { return (x == kNotInRelease) == (y == kNotInRelease); });
  }
  return false;
}

ViewRoles RolesOf(const ViewOf& left, const ViewOf& right) {
  ViewRoles roles;
  for (std::uint32_t i = 0; i < left.names.size(); ++i)
    (i < left.quasi ? roles.left_identifying : roles.left_sensitive).push_back(i);
  for (std::uint32_t i = 0; i < right.names.size(); ++i)
    (i < right.quasi ? roles.right_identifying : roles.right_sensitive).push_back(i);
  return roles;
}

class ViewLook {
 public:
  ViewLook(const AuditView& view, AttackResult& result) : view_(view), result_(result) {}

  void Run() {
    const auto& releases = view_.audited.releases;
    for (std::size_t a = 0; a < releases.size(); ++a) {
      for (std::size_t b = a + 1; b < releases.size(); ++b) {
        if (Applies(releases[a], releases[b]) && tried_++ < kMostPairsOfViews) LookAtPair(a, b);
      }
    }
  }

 private:
  static bool Applies(const AuditedRelease& a, const AuditedRelease& b) {
    if (a.has_two_tables || b.has_two_tables) return false;
    std::vector<std::size_t> left = a.domain_of, right = b.domain_of;
    std::ranges::sort(left);
    std::ranges::sort(right);
    return left != right;
  }

  const std::optional<ViewOf>& ViewAt(std::size_t release) {
    if (!views_.contains(release)) views_.emplace(release, MakeView(view_.release(release)));
    return views_.at(release);
  }

  void LookAtPair(std::size_t a, std::size_t b) {
    const AuditedRelease& left = view_.release(a);
    const AuditedRelease& right = view_.release(b);
    const auto& left_view = ViewAt(a);
    const auto& right_view = ViewAt(b);
    if (!left_view || !right_view) {
      result_.report.reasons.push_back(
          fmt::format("{} are not joined: they have too many different rows", QuotedNames({left.name, right.name})));
      if (result_.report.state == AttackState::kDoesNotApply) result_.report.state = AttackState::kStopped;
      return;
    }
    ViewPair pair{.left = left_view->rows, .right = right_view->rows, .common = {}};
    pair.common = CommonOf(view_, left, right, *left_view, *right_view);
    if (pair.common.empty()) {
      result_.report.reasons.push_back(
          fmt::format("{} are not joined: they have no column in common", QuotedNames({left.name, right.name})));
      return;
    }
    const std::vector<ViewQuestion> questions = SensibleQuestions(pair, RolesOf(*left_view, *right_view));
    const ViewBars bars{2, view_.question.alpha.value_or(Ratio{1, 1})};
    const ViewFindings found = LookAtViews(pair, questions, bars, {.work = kWorkOfView, .pairing = {}});
    result_.report.state = AttackState::kDone;
    const bool same_people = HoldSamePeople(view_, a, b);
    for (const ViewAnswer& answer : found.joined) Tell(a, b, *left_view, *right_view, answer, same_people);
  }

  void Tell(std::size_t a, std::size_t b, const ViewOf& left, const ViewOf& right, const ViewAnswer& answer,
            bool same_people) {
    const AuditedRelease& first = view_.release(a);
    const AuditedRelease& second = view_.release(b);
    const ReleaseColumn y = answer.question.y.front();
    const std::string& column = (y.release == 0 ? left : right).names[y.column];
    const bool of_both = std::ranges::any_of(answer.question.x, [](ReleaseColumn x) { return x.release == 0; }) &&
                         std::ranges::any_of(answer.question.x, [](ReleaseColumn x) { return x.release == 1; });
    const std::string name = fmt::format("{}+{}.{}.{}", first.name, second.name,
                                         of_both                                  ? "both"
                                         : answer.question.x.front().release == 0 ? "left"
                                                                                  : "right",
                                         column);
    const auto values =
        answer.least ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(answer.least->values)) : std::nullopt;
    result_.Count(name + ".fewest_values", values);
    if (!answer.left || !answer.right) {
      result_.Count(name + ".one_value", std::nullopt);
      return;
    }
    const std::uint64_t records = std::max(answer.left->below_k_in_every, answer.right->below_k_in_every);
    result_.Count(name + ".one_value", records);
    // Somebody who is in one of them only joins with others: nothing follows.
    if (!same_people || records == 0 || !of_both) return;
    Finding finding{.attack = Attack::kA6,
                    .kind = FindingKind::kViews,
                    .releases = {first.name, second.name},
                    .column = column,
                    .people = records};
    finding.certainty = Certainty::kLowerBound;
    finding.has_draft = first.source.is_draft || second.source.is_draft;
    finding.sentence = fmt::format(
        "Whoever joins {} finds one value of '{}' for at least {} {}, whichever match of it is the right one.",
        QuotedNames(finding.releases), column, records, Plural(records, "record", "records"));
    finding.prevention = "xy-anonymity against the release before, on its quasi-identifiers and these";
    finding.witness = {RowAt(first, answer.least->witness.left_record),
                       RowAt(second, answer.least->witness.right_record)};
    result_.findings.push_back(std::move(finding));
  }

  static RowWitness RowAt(const AuditedRelease& release, std::uint64_t record) {
    std::vector<bool> is_wanted(release.classes());
    is_wanted[release.class_of_row(record)] = true;
    return WitnessRows(release, is_wanted);
  }

  const AuditView& view_;
  AttackResult& result_;
  std::map<std::size_t, std::optional<ViewOf>> views_;
  std::size_t tried_ = 0;
};

// Of two tables the box of a class is the smallest one around its tuples, which everybody can see.
Classes HullsOf(const AuditedRelease& release) {
  const std::size_t columns = release.units.columns;
  Classes hulls{
      .columns = columns, .boxes = std::vector<Interval>(release.classes() * columns, {UINT32_MAX, 0}), .of_row = {}};
  for (ClassNumber unit = 0; unit < release.units.count(); ++unit) {
    for (std::size_t c = 0; c < columns; ++c) {
      Interval& hull = hulls.boxes[release.class_of_unit[unit] * columns + c];
      hull.lo = std::min(hull.lo, release.units.box(unit)[c].lo);
      hull.hi = std::max(hull.hi, release.units.box(unit)[c].hi);
    }
  }
  for (std::size_t row = 0; row < release.rows; ++row) hulls.of_row.push_back(release.class_of_row(row));
  return hulls;
}

}  // namespace

AttackResult LookAtViews(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA6;
  ViewLook(view, result).Run();
  if (result.report.state == AttackState::kDoesNotApply && result.report.reasons.empty())
    result.report.reasons.push_back("it needs two releases in one table with other quasi-identifiers");
  return result;
}

AttackResult LookAtMovedRows(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA8;
  for (const AuditedRelease& release : view.audited.releases) {
    if (!release.has_two_tables || release.units.columns == 0) continue;
    const Classes hulls = HullsOf(release);
    std::vector<Interval> known;
    for (const ClassNumber unit : release.units.of_row) {
      const auto box = release.units.box(unit);
      known.insert(known.end(), box.begin(), box.end());
    }
    const MovedRows moved = FindMovedRows({hulls, known});
    result.report.state = AttackState::kDone;
    result.Count(release.name + ".in_coarser_class", moved.moved);
    result.Count(release.name + ".p", std::nullopt);
  }
  if (result.report.state == AttackState::kDone) {
    result.report.reasons.push_back(
        "whether rows were moved because of their value is not tested: nobody but the maker knows the value of a row");
  } else {
    result.report.reasons.push_back(
        "it needs the class of each row and its quasi-identifiers, which only two tables show");
  }
  return result;
}

}  // namespace pentimento
