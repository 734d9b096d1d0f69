#include "guarantee/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/alpha_k/lost_alpha_k.h"
#include "guarantee/form/rows_of_classes.h"
#include "guarantee/form/truthful.h"
#include "guarantee/form/two_tables_form.h"
#include "guarantee/form/well_formed.h"
#include "guarantee/global/classes_of_release.h"
#include "guarantee/global/confusable_groups.h"
#include "guarantee/global/lost_items.h"
#include "guarantee/global/well_formed_series.h"
#include "guarantee/incremental/incremental_k_anonymity.h"
#include "guarantee/k_anonymity/k_anonymity.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

constexpr const char* kAlphaK = "(alpha,k)-anonymity";
constexpr const char* kGlobal = "global guarantee";

std::optional<Refusal> RefuseMalformed(const Claim& claim, const Draft& draft) {
  auto malformation = FindMalformation(claim.table, claim.domains, claim.form, draft);
  if (!malformation) return std::nullopt;
  return Refusal{"well-formed release", *std::move(malformation)};
}

std::optional<Refusal> RefuseFalse(const Claim& claim, const Draft& draft) {
  const auto cell = FindFalseCell(claim.table, draft);
  if (!cell) return std::nullopt;
  return Refusal{"truthful release",
                 fmt::format("row {} of the input lies outside its published box in quasi-identifier {}",
                             claim.RowOfInput(cell->row), cell->column + 1)};
}

std::optional<Refusal> RefuseWithoutGuarantee(const Claim& claim) {
  if (!claim.guarantees.empty()) return std::nullopt;
  return Refusal{"at least one guarantee",
                 "the policy asks for no guarantee, so nothing is known to be safe; ask for one"};
}

// A row of the class of `group`: the first one published with the same box.
std::size_t FirstRowOfClass(const Draft& draft, GroupId group) {
  const auto in_class = [&](GroupId other) { return std::ranges::equal(draft.box(other), draft.box(group)); };
  return static_cast<std::size_t>(std::ranges::find_if(draft.group_of_row, in_class) - draft.group_of_row.begin());
}

Refusal RefuseSmallClass(const Claim& claim, std::uint64_t members, std::uint64_t k, std::size_t row) {
  const char* one = claim.table.persons ? "person" : "row";
  return {"k-anonymity", fmt::format("a class of {} {}{} is published, {} are required (row {} of the input is in it)",
                                     members, one, members == 1 ? "" : "s", k, claim.RowOfInput(row))};
}

std::optional<Refusal> RefuseUnless(const KAnonymityPolicy& policy, const Claim& claim, const Draft& draft) {
  const auto violation = FindKAnonymityViolation(claim.table, draft, policy.k);
  if (!violation) return std::nullopt;
  return RefuseSmallClass(claim, violation->members, policy.k, FirstRowOfClass(draft, violation->group));
}

// A series is judged over its whole history, which a single table does not have.
std::optional<Refusal> RefuseUnless(const IncrementalKAnonymityPolicy&, const Claim&, const Draft&) {
  return Refusal{"incremental k-anonymity", "the history of the series was not looked at"};
}

// Likewise over the join with earlier releases.
std::optional<Refusal> RefuseUnless(const XyAnonymityPolicy&, const Claim&, const Draft&) {
  return Refusal{"(X,Y)-anonymity", "the earlier releases were not looked at"};
}
std::optional<Refusal> RefuseUnless(const XyLinkabilityPolicy&, const Claim&, const Draft&) {
  return Refusal{"(X,Y)-linkability", "the earlier releases were not looked at"};
}

Refusal RefuseAlphaK(const AlphaKViolation& violation, const Claim& claim) {
  return {kAlphaK, Describe(violation, *claim.alpha_k, claim.table.persons.has_value(), claim.sensitive_names)};
}

std::optional<Refusal> RefuseUnless(const AlphaKAnonymityPolicy&, const Claim& claim, const Draft& draft) {
  const auto violation = FindAlphaKViolation(claim.table, claim.sensitive, *claim.alpha_k, draft);
  if (!violation) return std::nullopt;
  return RefuseAlphaK(*violation, claim);
}

// Likewise over all releases of a series.
std::optional<Refusal> RefuseUnless(const GlobalGuaranteePolicy&, const Claim&, const Draft&) {
  return Refusal{kGlobal, "the budgets of the series were not looked at"};
}

// A claim that got lost on the way must not pass as one that holds.
std::optional<Refusal> RefuseLostAlphaK(const Claim& claim) {
  auto lost = FindLostAlphaK(claim.guarantees, claim.alpha_k, claim.table.rows, claim.sensitive);
  if (!lost) return std::nullopt;
  return Refusal{kAlphaK, *std::move(lost)};
}

// (alpha,k)-anonymity is about one release alone.
std::optional<Refusal> RefuseAlphaKBeside(const Claim& claim, std::string_view what) {
  const bool is_asked = std::ranges::any_of(claim.guarantees, [](const GuaranteePolicy& guarantee) {
    return std::holds_alternative<AlphaKAnonymityPolicy>(guarantee);
  });
  if (!is_asked && claim.alpha_k == nullptr) return std::nullopt;
  return Refusal{kAlphaK, fmt::format("it is about one release alone and is not judged together with {}", what)};
}

std::optional<Refusal> FindRefusal(const Claim& claim, const Draft& draft) {
  if (auto refusal = RefuseMalformed(claim, draft)) return refusal;
  if (auto refusal = RefuseFalse(claim, draft)) return refusal;
  if (auto refusal = RefuseWithoutGuarantee(claim)) return refusal;
  if (auto refusal = RefuseLostAlphaK(claim)) return refusal;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    auto refusal = std::visit([&](const auto& policy) { return RefuseUnless(policy, claim, draft); }, guarantee);
    if (refusal) return refusal;
  }
  return std::nullopt;
}

// In two tables the quasi-identifiers are published as they are, so nothing that is promised of them alone can hold.
std::optional<Refusal> RefuseOtherGuarantees(const Claim& claim) {
  const bool is_alone = std::ranges::all_of(claim.guarantees, [](const GuaranteePolicy& guarantee) {
    return std::holds_alternative<AlphaKAnonymityPolicy>(guarantee);
  });
  if (is_alone) return std::nullopt;
  return Refusal{"two tables", "only (alpha,k)-anonymity is judged of them; the policy asks for another guarantee"};
}

// Well-formed, true, and (alpha,k)-anonymous where that is claimed.
std::optional<Refusal> RefuseTables(const Claim& claim, const TwoTables& tables) {
  if (auto malformation = FindMalformation(claim.table, claim.sensitive.size(), tables))
    return Refusal{"well-formed release", *std::move(malformation)};
  const RowsOfClasses classes = LayOutClasses(tables.class_of_row, tables.classes);
  if (auto untruth = FindUntruth(claim.sensitive, tables, classes))
    return Refusal{"truthful release", *std::move(untruth)};
  if (claim.alpha_k == nullptr) return std::nullopt;
  const auto violation = FindAlphaKViolation(claim.table, *claim.alpha_k, tables, classes);
  if (!violation) return std::nullopt;
  return RefuseAlphaK(*violation, claim);
}

std::optional<Refusal> FindRefusalOfTables(const Claim& claim, const TwoTables& tables) {
  if (auto refusal = RefuseWithoutGuarantee(claim)) return refusal;
  if (auto refusal = RefuseOtherGuarantees(claim)) return refusal;
  if (auto refusal = RefuseLostAlphaK(claim)) return refusal;
  return RefuseTables(claim, tables);
}

std::optional<Refusal> FindRefusalOfChange(const Claim& claim, const IncrementalChange& change) {
  if (auto refusal = RefuseMalformed(claim, change.draft)) return refusal;
  if (auto refusal = RefuseFalse(claim, change.draft)) return refusal;
  if (auto refusal = RefuseWithoutGuarantee(claim)) return refusal;
  if (auto refusal = RefuseAlphaKBeside(claim, "a series")) return refusal;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    const auto* incremental = std::get_if<IncrementalKAnonymityPolicy>(&guarantee);
    const auto* plain = std::get_if<KAnonymityPolicy>(&guarantee);
    if (incremental == nullptr && plain == nullptr)
      return Refusal{"(X,Y)-privacy", "a series is not judged over a join with other releases"};
    const std::uint64_t k = incremental != nullptr ? incremental->k : plain->k;
    auto violation = FindViolationOfChange(change, k, incremental != nullptr && incremental->hides_arrivals);
    if (violation)
      return Refusal{incremental != nullptr ? "incremental k-anonymity" : "k-anonymity", *std::move(violation)};
  }
  return std::nullopt;
}

bool AreAllBelow(std::span<const std::uint32_t> numbers, std::size_t limit) {
  constexpr std::size_t kNumbersPerTask = std::size_t{1} << 16;
  std::atomic<bool> are_below = true;
  ParallelFor(numbers.size(), kNumbersPerTask, [&](std::size_t begin, std::size_t end) {
    std::uint32_t largest = 0;
    for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, numbers[i]);
    if (largest >= limit) are_below.store(false, std::memory_order_relaxed);
  });
  return are_below;
}

// What is promised of the series, by the release that would be charged. Charges it where the guarantee holds.
std::optional<Refusal> RefuseUncharged(const Claim& claim, GlobalBudgets& budgets,
                                       std::span<const ClassNumber> class_of_row, std::size_t classes,
                                       std::vector<std::uint32_t> confusable) {
  if (auto lost = FindLostItems(claim.guarantees, budgets.claim, claim.sensitive.size()))
    return Refusal{kGlobal, *lost};
  const std::size_t items = budgets.claim.items.size();
  const std::size_t people = budgets.spent.size() / items;
  const bool fits = budgets.person_of_row.size() == claim.table.rows && budgets.spent.size() == people * items &&
                    AreAllBelow(budgets.person_of_row, people);
  if (!fits) return Refusal{kGlobal, "rows and budgets do not fit together"};
  ReleaseClasses release = ClassesOfRelease(budgets.claim, claim.sensitive, class_of_row,
                                            static_cast<std::uint32_t>(classes), budgets.person_of_row, people);
  release.confusable = std::move(confusable);
  Result<ChargedRelease> charged = ChargeRelease(budgets.claim, release, budgets.release, std::move(budgets.spent));
  if (!charged.ok()) return Refusal{kGlobal, charged.error().message};
  if (charged->violation) {
    const auto row = std::ranges::find(budgets.person_of_row, charged->violation->person);
    // A larger l may be too late even for people who are not here.
    const std::string who =
        row == budgets.person_of_row.end()
            ? "somebody who was in earlier releases only"
            : fmt::format("the person in row {} of the input",
                          claim.RowOfInput(static_cast<std::size_t>(row - budgets.person_of_row.begin())));
    return Refusal{
        kGlobal,
        fmt::format("with this release the chance that {} ever had {} would be {}, and at most 1/{} is promised", who,
                    NameOfItem(budgets.claim, charged->violation->item), charged->violation->chance,
                    budgets.claim.items[charged->violation->item].l),
        charged->violation->person};
  }
  budgets.spent = std::move(charged->spent);
  return std::nullopt;
}

// Groups have numbers, so each of them is a class.
std::optional<Refusal> RefuseSmallGroup(std::uint64_t k, const Claim& claim, const Draft& draft) {
  if (k == 0) return std::nullopt;
  const auto violation = FindSmallGroup(claim.table, draft, k);
  if (!violation) return std::nullopt;
  const auto row = std::ranges::find(draft.group_of_row, violation->group) - draft.group_of_row.begin();
  return RefuseSmallClass(claim, violation->members, k, static_cast<std::size_t>(row));
}

// Likewise the classes of two tables. One row per person.
std::optional<Refusal> RefuseSmallGroup(std::uint64_t k, const Claim& claim, const TwoTables& tables) {
  if (k == 0) return std::nullopt;
  std::vector<std::uint64_t> people(tables.classes);
  for (const ClassNumber number : tables.class_of_row) ++people[number];
  for (std::size_t row = 0; row < tables.class_of_row.size(); ++row) {
    const std::uint64_t members = people[tables.class_of_row[row]];
    if (members < k) return RefuseSmallClass(claim, members, k, row);
  }
  return std::nullopt;
}

// As if the number were one more published column.
Draft WithGroupNumbers(const Draft& draft) {
  Draft numbered{draft.columns + 1, {}, draft.group_of_row};
  numbered.boxes.reserve(draft.group_count() * numbered.columns);
  for (GroupId group = 0; group < draft.group_count(); ++group) {
    numbered.boxes.insert(numbered.boxes.end(), draft.box(group).begin(), draft.box(group).end());
    numbered.boxes.push_back({group, group});
  }
  return numbered;
}

// A k that got lost on the way must not pass as one that nobody asked for.
std::optional<Refusal> RefuseLostK(const Claim& claim) {
  const bool is_said = std::ranges::any_of(claim.guarantees, [](const GuaranteePolicy& guarantee) {
    const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee);
    return KOf(guarantee) > 0 || (global != nullptr && global->allows_alone);
  });
  if (is_said) return std::nullopt;
  return Refusal{kGlobal, "no guarantee has a k, and nobody said that people may be alone in their groups"};
}

std::optional<Refusal> FindRefusalOfGlobal(const Claim& claim, GlobalBudgets& budgets, const Draft& draft) {
  if (auto refusal = RefuseMalformed(claim, draft)) return refusal;
  if (auto refusal = RefuseLostK(claim)) return refusal;
  if (auto refusal = RefuseFalse(claim, draft)) return refusal;
  if (auto refusal = RefuseLostAlphaK(claim)) return refusal;
  std::optional<Draft> numbered;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    if (std::holds_alternative<GlobalGuaranteePolicy>(guarantee) ||
        std::holds_alternative<KAnonymityPolicy>(guarantee)) {
      if (auto refusal = RefuseSmallGroup(KOf(guarantee), claim, draft)) return refusal;
      continue;
    }
    if (!numbered) numbered = WithGroupNumbers(draft);
    auto refusal = std::visit([&](const auto& policy) { return RefuseUnless(policy, claim, *numbered); }, guarantee);
    if (refusal) return refusal;
  }
  return RefuseUncharged(claim, budgets, draft.group_of_row, draft.group_count(),
                         ConfusableGroups(claim.table, claim.domains, claim.form, draft));
}

// Two tables show everybody's values, so classes may be confused only through people who are alike in all of them. They
// are in the box around the members of either class.
Draft BoxesAroundClasses(const EncodedTable& table, const TwoTables& tables) {
  const std::size_t columns = table.quasi_identifiers.size();
  Draft draft{columns, {}, tables.class_of_row};
  draft.boxes.assign(tables.classes * columns, {std::numeric_limits<Code>::max(), 0});
  ParallelFor(columns, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      table.quasi_identifiers[c].Visit([&](const auto codes) {
        for (std::size_t row = 0; row < codes.size(); ++row) {
          Interval& box = draft.boxes[std::size_t{tables.class_of_row[row]} * columns + c];
          box = {std::min<Code>(box.lo, codes[row]), std::max<Code>(box.hi, codes[row])};
        }
      });
    }
  });
  return draft;
}

std::optional<Refusal> FindRefusalOfGlobal(const Claim& claim, GlobalBudgets& budgets, const TwoTables& tables) {
  const bool is_judged = std::ranges::all_of(claim.guarantees, [](const GuaranteePolicy& guarantee) {
    return std::holds_alternative<AlphaKAnonymityPolicy>(guarantee) ||
           std::holds_alternative<GlobalGuaranteePolicy>(guarantee);
  });
  if (!is_judged) return Refusal{"two tables", "the policy asks for a guarantee that is not judged of them"};
  if (auto refusal = RefuseLostK(claim)) return refusal;
  if (auto refusal = RefuseLostAlphaK(claim)) return refusal;
  if (auto refusal = RefuseTables(claim, tables)) return refusal;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    if (!std::holds_alternative<GlobalGuaranteePolicy>(guarantee)) continue;
    if (auto refusal = RefuseSmallGroup(KOf(guarantee), claim, tables)) return refusal;
  }
  return RefuseUncharged(
      claim, budgets, tables.class_of_row, tables.classes,
      ConfusableGroups(claim.table, claim.domains, CategoryForm::kTaxonomy, BoxesAroundClasses(claim.table, tables)));
}

// What must not get lost of a claim over a join: how many releases it is against, whether rows may dangle, and of
// anonymity the k, of linkability how many limits there are.
struct JoinTerms {
  std::size_t against = 0;
  bool allows_dangling = false;
  std::uint64_t number = 0;

  friend auto operator<=>(const JoinTerms&, const JoinTerms&) = default;
};

// A claim that got lost on the way must not pass as one that holds. Values that a policy gives one limit to may be
// limits of their own in the claim, so there may be more of them.
std::optional<Refusal> RefuseLostClaims(const Claim& claim, const JoinedReleases& releases) {
  std::vector<JoinTerms> asked_anonymity, anonymity, asked_linkability, linkability;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    if (const auto* one = std::get_if<XyAnonymityPolicy>(&guarantee))
      asked_anonymity.push_back({one->against.size(), one->allows_dangling, one->k});
    if (const auto* one = std::get_if<XyLinkabilityPolicy>(&guarantee))
      asked_linkability.push_back({one->against.size(), one->allows_dangling, one->y.size()});
  }
  for (const XyAnonymityClaim& one : releases.anonymity)
    anonymity.push_back({one.against.size(), one.allows_dangling, one.k});
  for (const XyLinkabilityClaim& one : releases.linkability)
    linkability.push_back({one.against.size(), one.allows_dangling, one.targets.size()});
  for (auto* list : {&asked_anonymity, &anonymity, &asked_linkability, &linkability}) std::ranges::sort(*list);
  if (asked_anonymity != anonymity)
    return Refusal{
        "(X,Y)-anonymity",
        fmt::format("the policy asks for {} of them, {} were to be judged, or with another k, or for other rows, or "
                    "against other releases",
                    asked_anonymity.size(), anonymity.size())};
  const auto covers = [](const JoinTerms& asked, const JoinTerms& claimed) {
    return asked.against == claimed.against && asked.allows_dangling == claimed.allows_dangling &&
           asked.number <= claimed.number;
  };
  if (!std::ranges::equal(asked_linkability, linkability, covers))
    return Refusal{
        "(X,Y)-linkability",
        fmt::format("the policy asks for {} of them, {} were to be judged, or with fewer limits, or for other "
                    "rows, or against other releases",
                    asked_linkability.size(), linkability.size())};
  return std::nullopt;
}

std::optional<Refusal> RefuseOverJoin(const NewReleaseView& view, const JoinedReleases& releases) {
  for (const XyAnonymityClaim& anonymity : releases.anonymity) {
    if (auto violation = FindXyAnonymityViolation(view, releases, anonymity))
      return Refusal{"(X,Y)-anonymity", std::move(violation->words), std::nullopt, violation->fault};
  }
  for (const XyLinkabilityClaim& linkability : releases.linkability) {
    if (auto violation = FindXyLinkabilityViolation(view, releases, linkability))
      return Refusal{"(X,Y)-linkability", std::move(violation->words), std::nullopt, violation->fault};
  }
  return std::nullopt;
}

std::optional<Refusal> FindRefusalOfJoin(const Claim& claim, std::span<const CodeColumn* const> exact,
                                         const JoinedReleases& releases, const Draft& draft) {
  if (auto refusal = RefuseMalformed(claim, draft)) return refusal;
  if (auto refusal = RefuseFalse(claim, draft)) return refusal;
  if (auto refusal = RefuseWithoutGuarantee(claim)) return refusal;
  if (auto refusal = RefuseAlphaKBeside(claim, "a join with earlier releases")) return refusal;
  for (const GuaranteePolicy& guarantee : claim.guarantees) {
    const bool is_over_join =
        std::holds_alternative<XyAnonymityPolicy>(guarantee) || std::holds_alternative<XyLinkabilityPolicy>(guarantee);
    if (is_over_join) continue;
    auto refusal = std::visit([&](const auto& policy) { return RefuseUnless(policy, claim, draft); }, guarantee);
    if (refusal) return refusal;
  }
  if (auto refusal = RefuseLostClaims(claim, releases)) return refusal;
  return RefuseOverJoin({draft, exact, claim.table.persons ? &*claim.table.persons : nullptr}, releases);
}

}  // namespace

// The one class that may make a verified release, and the one place where it does.
class Verifier {
 public:
  static std::variant<VerifiedRelease, Refusal> Judge(const Claim& claim, Draft draft) {
    if (auto refusal = FindRefusal(claim, draft)) return *std::move(refusal);
    return VerifiedRelease(std::move(draft));
  }
  static std::variant<VerifiedRelease, Refusal> JudgeChange(const Claim& claim, IncrementalChange& change) {
    if (auto refusal = FindRefusalOfChange(claim, change)) return *std::move(refusal);
    return VerifiedRelease(std::move(change.draft));
  }
  static std::variant<VerifiedRelease, Refusal> JudgeJoin(const Claim& claim, std::span<const CodeColumn* const> exact,
                                                          const JoinedReleases& releases, Draft draft) {
    if (auto refusal = FindRefusalOfJoin(claim, exact, releases, draft)) return *std::move(refusal);
    return VerifiedRelease(std::move(draft));
  }
  static std::variant<VerifiedRelease, Refusal> JudgeGlobal(const Claim& claim, GlobalBudgets& budgets, Draft draft) {
    if (auto refusal = FindRefusalOfGlobal(claim, budgets, draft)) return *std::move(refusal);
    return VerifiedRelease(std::move(draft));
  }
  static std::variant<VerifiedTwoTables, Refusal> JudgeGlobal(const Claim& claim, GlobalBudgets& budgets,
                                                              TwoTables tables) {
    if (auto refusal = FindRefusalOfGlobal(claim, budgets, tables)) return *std::move(refusal);
    return VerifiedTwoTables(std::move(tables));
  }
  static std::variant<VerifiedTwoTables, Refusal> JudgeTables(const Claim& claim, TwoTables tables) {
    if (auto refusal = FindRefusalOfTables(claim, tables)) return *std::move(refusal);
    return VerifiedTwoTables(std::move(tables));
  }
};

std::variant<VerifiedRelease, Refusal> Verify(const Claim& claim, Draft draft) {
  return Verifier::Judge(claim, std::move(draft));
}

std::variant<VerifiedRelease, Refusal> VerifyIncremental(const Claim& claim, IncrementalChange& change) {
  return Verifier::JudgeChange(claim, change);
}

std::variant<VerifiedRelease, Refusal> VerifyJoined(const Claim& claim, std::span<const CodeColumn* const> exact,
                                                    const JoinedReleases& releases, Draft draft) {
  return Verifier::JudgeJoin(claim, exact, releases, std::move(draft));
}

std::variant<VerifiedRelease, Refusal> VerifyGlobal(const Claim& claim, GlobalBudgets& budgets, Draft draft) {
  return Verifier::JudgeGlobal(claim, budgets, std::move(draft));
}

std::variant<VerifiedTwoTables, Refusal> VerifyGlobal(const Claim& claim, GlobalBudgets& budgets, TwoTables tables) {
  return Verifier::JudgeGlobal(claim, budgets, std::move(tables));
}

std::variant<VerifiedTwoTables, Refusal> VerifyTwoTables(const Claim& claim, TwoTables tables) {
  return Verifier::JudgeTables(claim, std::move(tables));
}

}  // namespace pentimento
