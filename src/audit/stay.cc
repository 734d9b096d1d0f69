#include "audit/stay.h"

#include <algorithm>
#include <utility>

#include "audit/stay_bounds.h"
#include "audit/stay_estimate.h"
#include "audit/stay_margins.h"

namespace pentimento {
namespace {

bool IsCertain(std::span<const StayBound> bounds, std::uint32_t size) {
  return std::ranges::any_of(bounds, [&](const StayBound& bound) { return bound.least == size; });
}

// The tally of one joint class after the other.
class StayTally {
 public:
  StayTally(StayingValues& values, Ratio alpha) : values_(values), alpha_(alpha) {}

  void Count(std::uint32_t joint, std::uint32_t first_person, bool has_one_value) {
    const std::uint32_t size = values_.joint_size[joint];
    values_.people += size;
    if (values_.is_contradicted[joint] != 0) {
      values_.contradicted += size;
      Witness(values_.contradiction_witness, first_person);
      return;
    }
    const std::span<const StayBound> bounds =
        std::span(values_.bounds).subspan(values_.begin[joint], values_.begin[joint + 1] - values_.begin[joint]);
    const bool is_certain = IsCertain(bounds, size);
    if (is_certain) {
      values_.certain += size;
      Witness(values_.certain_witness, first_person);
      if (has_one_value) values_.certain_by_support += size;
    } else if (values_.is_exact[joint] == 0) {
      values_.unsettled += size;
    }
    const bool is_above =
        std::ranges::any_of(bounds, [&](const StayBound& bound) { return IsShareAbove(bound.least, size, alpha_); });
    if (is_certain || is_above) {
      values_.above_alpha += size;
      Witness(values_.above_alpha_witness, first_person);
    }
  }

 private:
  static void Witness(std::optional<std::uint32_t>& witness, std::uint32_t person) {
    witness = std::min(witness.value_or(person), person);
  }

  StayingValues& values_;
  Ratio alpha_;
};

void CopyBounds(StayingValues& values, const StayMargins& margins) {
  const std::uint32_t known = margins.joint.known();
  values.begin.assign(margins.begin.begin(), margins.begin.begin() + known + 1);
  values.bounds.reserve(values.begin.back());
  for (std::uint32_t u = 0; u < values.begin.back(); ++u)
    values.bounds.push_back({.value = margins.value[u], .least = margins.least[u], .most = margins.most[u]});
}

}  // namespace

std::span<const StayBound> StayingValues::BoundsOf(std::uint32_t person) const {
  const std::uint32_t joint = joint_of_person[person];
  if (joint == kNoJointClass || is_contradicted[joint] != 0) return {};
  return std::span(bounds).subspan(begin[joint], begin[joint + 1] - begin[joint]);
}

std::optional<std::uint32_t> StayingValues::CertainValue(std::uint32_t person) const {
  for (const StayBound& bound : BoundsOf(person)) {
    if (bound.least == joint_size[joint_of_person[person]]) return bound.value;
  }
  return std::nullopt;
}

StayingValues InferStayingValues(const CommonReleases& common, const StayQuestion& question, const StayLimits& limits) {
  StayBounds drawn(
      MakeStayMargins(GroupJointly(common, question.releases, question.joint), question.column, limits.work),
      limits.work);
  drawn.Propagate();
  StayingValues values;
  if (drawn.stopped()) {
    values.is_exact.assign(drawn.margins().joint.count(), 0);
  } else {
    values.is_exact = SearchSmallComponents(drawn, limits.search);
    drawn.Propagate();
  }
  values.stopped = drawn.stopped();
  if (question.estimate_rounds > 0) values.estimate = EstimateAbove(drawn, question.alpha, question.estimate_rounds);

  const StayMargins& margins = drawn.margins();
  const std::uint32_t known = margins.joint.known();
  values.is_exact.resize(known);
  values.is_contradicted.reserve(known);
  for (std::uint32_t j = 0; j < known; ++j)
    values.is_contradicted.push_back(static_cast<std::uint8_t>(drawn.is_contradicted(j)));
  values.joint_size.assign(margins.joint.size.begin(), margins.joint.size.begin() + known);
  CopyBounds(values, margins);
  StayTally tally(values, question.alpha);
  for (std::uint32_t j = 0; j < known; ++j)
    tally.Count(j, margins.joint.first_person[j], margins.has_one_value[j] != 0);
  values.joint_of_person = std::move(drawn).TakeMargins().joint.joint_of_person;
  return values;
}

}  // namespace pentimento
