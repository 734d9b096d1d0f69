#include "engine/report/trials.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/publish.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

// Guarantees about the join have a k of another kind: values and not people. That of a budget may be left out.
template <typename Guarantee>
constexpr bool kCountsPeople =
    std::is_same_v<Guarantee, KAnonymityPolicy> || std::is_same_v<Guarantee, IncrementalKAnonymityPolicy> ||
    std::is_same_v<Guarantee, AlphaKAnonymityPolicy> || std::is_same_v<Guarantee, HistoryPolicy>;

bool SetK(std::uint64_t k, Policy& policy) {
  bool has_k = false;
  for (GuaranteePolicy& guarantee : policy.guarantees) {
    std::visit(
        [&]<typename Guarantee>(Guarantee& asked) {
          if constexpr (kCountsPeople<Guarantee>) {
            asked.k = k;
            has_k = true;
          }
        },
        guarantee);
  }
  return has_k;
}

std::uint64_t LargestK(const Policy& policy) {
  std::uint64_t k = 0;
  for (const GuaranteePolicy& guarantee : policy.guarantees) k = std::max(k, KOf(guarantee));
  return k;
}

void TellOutcome(const ReleaseOutcome& outcome, ReportedTrial& trial) {
  trial.rows = outcome.metrics.rows;
  trial.classes = outcome.metrics.classes;
  trial.smallest_class = outcome.metrics.smallest_class;
  trial.loss_percent = outcome.metrics.ncp_percent;
  trial.quasi_identifiers = outcome.quasi_identifiers;
  trial.loss_by_column = outcome.metrics.ncp_percent_by_column;
  if (outcome.composition && !outcome.composition->releases.empty())
    trial.below_k_together = outcome.composition->crowds.below_k;
}

Result<ReportedTrial> RunTrial(Policy policy, std::string label, const TrialPlaces& places, Progress* progress) {
  ReportedTrial trial{.label = std::move(label), .k = LargestK(policy)};
  ReleaseOptions options;
  options.ledger = places.ledger;
  options.out = places.out;
  options.dry_run = true;
  options.yes = true;  // what looks like a mistake is shown beside the others
  options.progress = progress;
  const Result<ReleaseOutcome> outcome = PublishRelease(std::move(policy), options);
  if (outcome.ok()) {
    TellOutcome(*outcome, trial);
  } else if (outcome.error().code == ErrorCode::kRefused) {
    trial.refusal = outcome.error().message;
  } else {
    return outcome.error();
  }
  return trial;
}

}  // namespace

Result<std::vector<ReportedTrial>> RunTrials(const TrialPlan& plan, const TrialPlaces& places, Progress* progress) {
  std::vector<ReportedTrial> trials;
  for (const std::filesystem::path& file : plan.policies) {
    PENTIMENTO_ASSIGN(const Policy policy, ReadPolicy(file));
    const std::string name = file.filename().string();
    if (plan.ks.empty()) {
      PENTIMENTO_ASSIGN(ReportedTrial trial, RunTrial(policy, name, places, progress));
      trials.push_back(std::move(trial));
    }
    for (const std::uint64_t k : plan.ks) {
      Policy changed = policy;
      if (!SetK(k, changed))
        return Error{
            ErrorCode::kUsage,
            fmt::format("{}: --k is for guarantees that count people in a class, and it asks for none", file.string())};
      PENTIMENTO_ASSIGN(ReportedTrial trial,
                        RunTrial(std::move(changed), fmt::format("{}, k = {}", name, k), places, progress));
      trials.push_back(std::move(trial));
    }
  }
  return trials;
}

}  // namespace pentimento
