// A plan of a series under the global guarantee, before its first release or at any time after it: how many
// releases remain for the people of this table, what the next one needs, who is close to the limit, and what a change
// of the policy would buy. Reads the policy's table and the ledger, and changes neither. People are counted, never
// named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/global/plan_alternatives.h"
#include "engine/global/plan_item.h"
#include "policy/policy.h"

namespace pentimento {

struct PlanOptions {
  std::filesystem::path ledger;
  Progress* progress = nullptr;
};

// A column of which every value is protected.
struct EveryValuePlan {
  std::string column;
  std::uint64_t values = 0;  // different ones in the table
  std::uint64_t needed = 0;  // at least, in every group of the next release; 0: no number is enough
};

// What would become of this table if it were released now: budgets, limits in groups, loss and values that stay decide.
enum class NextRelease { kEverybody, kSomeWithheld, kRefused, kNoneLeft };

struct GlobalPlan {
  std::string release;
  std::string series;
  bool has_ledger = false;
  std::uint64_t made = 0;  // releases so far
  std::optional<std::uint64_t> planned;
  std::optional<Ratio> spend;
  std::uint64_t l = 2;
  std::uint64_t k = 1;  // people in a group, at least

  std::uint64_t people = 0;  // in this table
  std::uint64_t newcomers = 0;
  CloseToLimit close;  // on some item

  NextRelease next = NextRelease::kEverybody;
  std::uint64_t withheld = 0;
  std::string refusal;               // why groups cannot be formed, in the words of the release; empty where they can
  bool limits_classes = false;       // the policy asks for (alpha,k)-anonymity as well
  bool breaks_class_limits = false;  // and no groups of this table can keep it
  std::string stays;                 // what does not come and go as most_persistence asks, in words; mostly empty
  std::optional<double> loss_percent = {};  // of the detail, in the next release; nothing of two tables, or without one
  Ratio most_loss;                          // that the policy lets a release lose
  bool loses_too_much = false;

  std::vector<ItemPlan> items;
  std::vector<EveryValuePlan> every_value;
  std::vector<PlanAlternative> alternatives;  // the first is the policy as it is
  std::vector<std::string> notes;
};

// kBadPolicy where the policy asks for no global guarantee. A series that cannot go on is no error: to find that out
// is what a plan is for.
Result<GlobalPlan> PlanGlobal(Policy policy, const PlanOptions& options);

}  // namespace pentimento
