#include "guarantee/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/alpha_k/claim_form.h"
#include "guarantee/form/one_table_form.h"
#include "guarantee/form/rows_of_classes.h"
#include "guarantee/form/two_tables_form.h"
#include "guarantee/global/claim_form.h"
#include "guarantee/global/classes_of_release.h"
#include "guarantee/global/confusable_groups.h"
#include "guarantee/history/history.h"
#include "guarantee/history/joint_classes.h"
#include "guarantee/incremental/incremental_k_anonymity.h"
#include "guarantee/k_anonymity/k_anonymity.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

constexpr const char* kAlphaK = "(alpha,k)-anonymity";
constexpr const char* kGlobal = "global guarantee";
constexpr const char* kHistory = "history";

// Well-formed and true to the table.
std::optional<Refusal> RefuseOneTable(const Classes& classes, const Evidence& evidence) {
  if (auto malformation = FindMalformation(evidence.table, evidence.domains, evidence.form, classes))
    return Refusal{"well-formed release", *std::move(malformation)};
  const auto cell = FindFalseCell(evidence.table, classes);
  if (!cell) return std::nullopt;
  return Refusal{"truthful release",
                 fmt::format("row {} of the input lies outside its published box in quasi-identifier {}",
                             evidence.RowOfInput(cell->row), cell->column + 1)};
}

// Before anything reads a column row by row.
std::optional<Refusal> RefuseShortColumns(const Evidence& evidence) {
  const auto is_short = [&](const CodeColumn* column) {
    return column == nullptr || column->size() != evidence.table.rows;
  };
  if (std::ranges::any_of(evidence.sensitive, is_short))
    return Refusal{"well-formed release", "a sensitive column has not one value for every row"};
  for (const CodeColumn& column : evidence.table.quasi_identifiers) {
    if (is_short(&column)) return Refusal{"well-formed release", "a quasi-identifier has not one value for every row"};
  }
  if (evidence.domains.size() != evidence.table.quasi_identifiers.size())
    return Refusal{"well-formed release", "there is not one domain for every quasi-identifier"};
  return std::nullopt;
}

std::optional<Refusal> RefuseTwoTables(const Draft& draft, const Evidence& evidence) {
  if (auto refusal = RefuseShortColumns(evidence)) return refusal;
  if (auto malformation = FindMalformation(evidence.table, evidence.sensitive.size(), draft))
    return Refusal{"well-formed release", *std::move(malformation)};
  if (auto untruth = FindUntruth(evidence.sensitive, draft)) return Refusal{"truthful release", *std::move(untruth)};
  return std::nullopt;
}

std::optional<Refusal> RefuseWithoutGuarantee(const Evidence& evidence) {
  if (!evidence.guarantees.empty()) return std::nullopt;
  return Refusal{"at least one guarantee",
                 "the policy asks for no guarantee, so nothing is known to be safe; ask for one"};
}

// A row of the class of `group`: the first one published with the same box.
std::size_t FirstRowOfClass(const Classes& classes, ClassNumber group) {
  const auto in_class = [&](ClassNumber other) { return std::ranges::equal(classes.box(other), classes.box(group)); };
  return static_cast<std::size_t>(std::ranges::find_if(classes.of_row, in_class) - classes.of_row.begin());
}

Refusal RefuseSmallClass(const Evidence& evidence, std::uint64_t members, std::uint64_t k, std::size_t row) {
  const char* one = evidence.table.persons ? "person" : "row";
  return {"k-anonymity", fmt::format("a class of {} {}{} is published, {} are required (row {} of the input is in it)",
                                     members, one, members == 1 ? "" : "s", k, evidence.RowOfInput(row))};
}

// Under the global guarantee groups have numbers, so each of them is a class by itself.
std::optional<Refusal> RefuseSmallGroup(std::uint64_t k, const Draft& draft, const Evidence& evidence) {
  if (k == 0) return std::nullopt;
  const auto violation = FindSmallGroup(evidence.table, draft.classes, k);
  if (!violation) return std::nullopt;
  const auto row = std::ranges::find(draft.classes.of_row, violation->group) - draft.classes.of_row.begin();
  return RefuseSmallClass(evidence, violation->members, k, static_cast<std::size_t>(row));
}

// In a growing series classes are those of everybody published so far.
std::optional<Refusal> RefuseChange(const char* guarantee, std::uint64_t k, bool hides_arrivals, const Draft& draft,
                                    const Evidence& evidence) {
  auto violation = FindViolationOfChange(draft.classes, *evidence.change, k, hides_arrivals);
  if (!violation) return std::nullopt;
  return Refusal{guarantee, *std::move(violation)};
}

std::optional<Refusal> RefuseUnless(const KAnonymityPolicy& policy, const Draft& draft, const Evidence& evidence) {
  if (evidence.change != nullptr) return RefuseChange("k-anonymity", policy.k, false, draft, evidence);
  if (evidence.budgets != nullptr) return RefuseSmallGroup(policy.k, draft, evidence);
  const auto violation = FindKAnonymityViolation(evidence.table, draft.classes, policy.k);
  if (!violation) return std::nullopt;
  return RefuseSmallClass(evidence, violation->members, policy.k, FirstRowOfClass(draft.classes, violation->group));
}

std::optional<Refusal> RefuseUnless(const IncrementalKAnonymityPolicy& policy, const Draft& draft,
                                    const Evidence& evidence) {
  constexpr const char* kIncremental = "incremental k-anonymity";
  if (evidence.change == nullptr) return Refusal{kIncremental, "the history of the series was not looked at"};
  return RefuseChange(kIncremental, policy.k, policy.hides_arrivals, draft, evidence);
}

// Over a join it is the claims about the join that are verified, all of them: RefuseOverJoin.
std::optional<Refusal> RefuseUnless(const XyAnonymityPolicy&, const Draft&, const Evidence& evidence) {
  if (evidence.xy != nullptr) return std::nullopt;
  return Refusal{"(X,Y)-anonymity", "the earlier releases were not looked at"};
}
std::optional<Refusal> RefuseUnless(const XyLinkabilityPolicy&, const Draft&, const Evidence& evidence) {
  if (evidence.xy != nullptr) return std::nullopt;
  return Refusal{"(X,Y)-linkability", "the earlier releases were not looked at"};
}

// As if the number were one more published column.
Classes WithGroupNumbers(const Classes& classes) {
  Classes numbered{classes.columns + 1, {}, classes.of_row};
  numbered.boxes.reserve(classes.count() * numbered.columns);
  for (ClassNumber group = 0; group < classes.count(); ++group) {
    numbered.boxes.insert(numbered.boxes.end(), classes.box(group).begin(), classes.box(group).end());
    numbered.boxes.push_back({group, group});
  }
  return numbered;
}

std::optional<Refusal> RefuseUnless(const AlphaKAnonymityPolicy&, const Draft& draft, const Evidence& evidence) {
  const AlphaKClaim& claim = *evidence.alpha_k;
  const auto find = [&](const Classes& classes) {
    return FindAlphaKViolation(evidence.table, evidence.sensitive, claim, classes);
  };
  auto violation = draft.is_two_tables()         ? FindAlphaKViolation(evidence.table, claim, draft)
                   : evidence.budgets != nullptr ? find(WithGroupNumbers(draft.classes))
                                                 : find(draft.classes);
  if (!violation) return std::nullopt;
  violation->row = evidence.RowOfInput(violation->row) - 1;
  return Refusal{kAlphaK, Describe(*violation, claim, evidence.table.persons.has_value(), evidence.sensitive_names)};
}

// The budgets are charged after everything else holds: RefuseUncharged.
std::optional<Refusal> RefuseUnless(const GlobalGuaranteePolicy& policy, const Draft& draft, const Evidence& evidence) {
  if (evidence.budgets == nullptr) return Refusal{kGlobal, "the budgets of the series were not looked at"};
  return RefuseSmallGroup(policy.k, draft, evidence);
}

// What would have to be looked at and is not there.
std::optional<Refusal> RefuseLostHistory(const HistoryPolicy& policy, const Evidence& evidence) {
  if (evidence.history == nullptr) return Refusal{kHistory, "the releases on record were not looked at"};
  const HistoryEvidence& history = *evidence.history;
  if (!policy.allows_unknown && !history.untold.empty())
    return Refusal{kHistory, fmt::format("who is in release '{}' cannot be told, and the policy does not allow that",
                                         history.untold.front())};
  for (const std::string& name : policy.over) {
    const bool is_untold = std::ranges::find(history.untold, name) != history.untold.end();
    if (!is_untold &&
        std::ranges::find(history.earlier.releases, name, &CommonRelease::name) == history.earlier.releases.end())
      return Refusal{kHistory, fmt::format("the release '{}' was not looked at", name)};
  }
  const auto is_below = [&](std::uint32_t person) { return person < history.earlier.people; };
  if (history.person_of_row.size() != evidence.table.rows || !std::ranges::all_of(history.person_of_row, is_below))
    return Refusal{kHistory, "rows and people do not fit together"};
  const auto fits = [&](const CodeColumn* column) {
    return column != nullptr && column->size() == evidence.table.rows;
  };
  if (history.sensitive.size() != history.sensitive_names.size() || !std::ranges::all_of(history.sensitive, fits))
    return Refusal{kHistory, "a sensitive column has not one value for every row"};
  if (policy.alpha && history.sensitive.empty()) return Refusal{kHistory, "the sensitive columns were not looked at"};
  if (auto fault = FindMalformedReleases(history.earlier)) return Refusal{kHistory, *std::move(fault)};
  return std::nullopt;
}

// Beside the releases on record the draft is laid as one more of them.
std::optional<Refusal> RefuseUnless(const HistoryPolicy& policy, const Draft& draft, const Evidence& evidence) {
  if (auto refusal = RefuseLostHistory(policy, evidence)) return refusal;
  if (!evidence.history->accounted.empty())
    return Refusal{kHistory,
                   fmt::format("column '{}' is on the account of a series under the global guarantee, with some of "
                               "these people, and nobody charges for a release outside of that series; leave the "
                               "column out, or publish these people in the series",
                               evidence.history->accounted.front())};
  CommonReleases all = evidence.history->earlier;
  if (!policy.over.empty())
    std::erase_if(all.releases, [&](const CommonRelease& release) {
      return std::ranges::find(policy.over, release.name) == policy.over.end();
    });
  all.releases.push_back(ReleaseOfDraft(draft, "this release", all.people, *evidence.history));
  const HistoryClaim claim{policy.k, policy.membership_is_known ? Membership::kKnown : Membership::kUnknown,
                           policy.alpha};
  const auto violation = FindHistoryViolation(all, AllReleases(all), claim);
  if (!violation) return std::nullopt;
  return Refusal{kHistory, Describe(*violation, all)};
}

// A claim that got lost on the way must not pass as one that holds.
std::optional<Refusal> RefuseLostAlphaK(const Evidence& evidence) {
  auto lost = FindLostAlphaK(evidence.guarantees, evidence.alpha_k, evidence.table.rows, evidence.sensitive);
  if (!lost) return std::nullopt;
  return Refusal{kAlphaK, *std::move(lost)};
}

template <typename Guarantee>
bool AsksFor(const Evidence& evidence) {
  return FindGuarantee<Guarantee>(evidence.guarantees) != nullptr;
}

// Guarantees that are not verified together, or not of this form.
std::optional<Refusal> RefuseUnfit(const Draft& draft, const Evidence& evidence) {
  const int histories = (evidence.xy != nullptr) + (evidence.change != nullptr) + (evidence.budgets != nullptr);
  if (histories > 1) return Refusal{"one history", "a join, a growing series and budgets are not verified together"};
  const bool is_series_or_join = evidence.change != nullptr || evidence.xy != nullptr;
  if (is_series_or_join && (AsksFor<AlphaKAnonymityPolicy>(evidence) || evidence.alpha_k != nullptr))
    return Refusal{kAlphaK, fmt::format("it is about one release alone and is not verified together with {}",
                                        evidence.change != nullptr ? "a series" : "a join with earlier releases")};
  const bool is_joined = AsksFor<XyAnonymityPolicy>(evidence) || AsksFor<XyLinkabilityPolicy>(evidence);
  if (evidence.change != nullptr && is_joined)
    return Refusal{"(X,Y)-privacy", "a series is not verified over a join with other releases"};
  if (evidence.change != nullptr && AsksFor<GlobalGuaranteePolicy>(evidence))
    return Refusal{kGlobal, "a growing series is not verified together with budgets"};
  const bool is_series = evidence.change != nullptr || evidence.budgets != nullptr;
  if (is_series && (AsksFor<HistoryPolicy>(evidence) || evidence.history != nullptr))
    return Refusal{kHistory, "a series is not verified together with all releases on record"};
  // In two tables the quasi-identifiers are published as they are, so nothing that is promised of them alone can hold.
  const bool is_for_two_tables =
      !is_series_or_join && std::ranges::all_of(evidence.guarantees, [](const GuaranteePolicy& guarantee) {
        return std::holds_alternative<AlphaKAnonymityPolicy>(guarantee) ||
               std::holds_alternative<GlobalGuaranteePolicy>(guarantee);
      });
  if (draft.is_two_tables() && !is_for_two_tables)
    return Refusal{"two tables",
                   "only (alpha,k)-anonymity and the global guarantee are verified of them; the policy "
                   "asks for another guarantee"};
  return std::nullopt;
}

// A k that got lost on the way must not pass as one that nobody asked for.
std::optional<Refusal> RefuseLostK(const Evidence& evidence) {
  const bool is_said = std::ranges::any_of(evidence.guarantees, [](const GuaranteePolicy& guarantee) {
    const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee);
    return KOf(guarantee) > 0 || (global != nullptr && global->allows_alone);
  });
  if (is_said) return std::nullopt;
  return Refusal{kGlobal, "no guarantee has a k, and nobody said that people may be alone in their groups"};
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
std::optional<Refusal> RefuseUncharged(const Draft& draft, const Evidence& evidence) {
  GlobalBudgets& budgets = *evidence.budgets;
  if (auto lost = FindLostItems(evidence.guarantees, budgets.claim, evidence.sensitive.size()))
    return Refusal{kGlobal, *lost};
  const std::size_t items = budgets.claim.items.size();
  if (items == 0) return Refusal{kGlobal, "nothing is protected"};
  if (auto refusal = RefuseShortColumns(evidence)) return refusal;
  const std::size_t people = budgets.spent.size() / items;
  const bool fits = budgets.person_of_row.size() == evidence.table.rows && budgets.spent.size() == people * items &&
                    AreAllBelow(budgets.person_of_row, people);
  if (!fits) return Refusal{kGlobal, "rows and budgets do not fit together"};
  ReleaseClasses release;
  std::vector<ClassNumber> confusable;
  TaskGroup side_by_side;
  side_by_side.Run([&] {
    release = ClassesOfRelease(budgets.claim, evidence.sensitive, draft.classes.of_row, draft.classes.count(),
                               budgets.person_of_row, people);
  });
  confusable = ConfusableGroups(evidence.table, evidence.domains,
                                draft.is_two_tables() ? CategoryForm::kTaxonomy : evidence.form, draft.classes);
  side_by_side.Wait();
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
                          evidence.RowOfInput(static_cast<std::size_t>(row - budgets.person_of_row.begin())));
    return Refusal{
        kGlobal,
        fmt::format("with this release the chance that {} ever had {} would be {}, and at most 1/{} is promised", who,
                    NameOfItem(budgets.claim, charged->violation->item), charged->violation->chance,
                    budgets.claim.items[charged->violation->item].l),
        charged->violation->person};
  }
  budgets.spent = std::move(charged->spent);
  budgets.confusable = std::move(release.confusable);
  return std::nullopt;
}

// What must not get lost of a claim over a join: how many releases it is against, whether rows may dangle, and of
// anonymity the k, of linkability how many limits there are.
struct XyTerms {
  std::size_t against = 0;
  bool allows_dangling = false;
  std::uint64_t number = 0;

  friend auto operator<=>(const XyTerms&, const XyTerms&) = default;
};

// A claim that got lost on the way must not pass as one that holds. Values that a policy gives one limit to may be
// limits of their own in the claim, so there may be more of them.
std::optional<Refusal> RefuseLostClaims(const Evidence& evidence, const XyReleases& releases) {
  std::vector<XyTerms> asked_anonymity, anonymity, asked_linkability, linkability;
  for (const GuaranteePolicy& guarantee : evidence.guarantees) {
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
        fmt::format("the policy asks for {} of them, {} were to be verified, or with another k, or for other rows, or "
                    "against other releases",
                    asked_anonymity.size(), anonymity.size())};
  const auto covers = [](const XyTerms& asked, const XyTerms& claimed) {
    return asked.against == claimed.against && asked.allows_dangling == claimed.allows_dangling &&
           asked.number <= claimed.number;
  };
  if (!std::ranges::equal(asked_linkability, linkability, covers))
    return Refusal{
        "(X,Y)-linkability",
        fmt::format("the policy asks for {} of them, {} were to be verified, or with fewer limits, or for other "
                    "rows, or against other releases",
                    asked_linkability.size(), linkability.size())};
  return std::nullopt;
}

std::optional<Refusal> RefuseOverJoin(const NewReleaseView& view, const XyReleases& releases) {
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

std::optional<Refusal> RefuseLost(const Evidence& evidence) {
  if (evidence.budgets != nullptr) {
    if (auto refusal = RefuseLostK(evidence)) return refusal;
  }
  if (auto refusal = RefuseLostAlphaK(evidence)) return refusal;
  if (evidence.xy != nullptr) return RefuseLostClaims(evidence, evidence.xy->releases);
  return std::nullopt;
}

std::optional<Refusal> FindRefusal(const Draft& draft, const Evidence& evidence) {
  if (auto refusal = RefuseUnfit(draft, evidence)) return refusal;
  if (auto refusal = RefuseLost(evidence)) return refusal;
  const bool is_two_tables = draft.is_two_tables();
  if (auto refusal = is_two_tables ? RefuseTwoTables(draft, evidence) : RefuseOneTable(draft.classes, evidence))
    return refusal;
  if (auto refusal = RefuseWithoutGuarantee(evidence)) return refusal;
  for (const GuaranteePolicy& guarantee : evidence.guarantees) {
    const auto refuse = [&](const auto& policy) { return RefuseUnless(policy, draft, evidence); };
    if (auto refusal = std::visit(refuse, guarantee)) return refusal;
  }
  const Persons* const persons = evidence.table.persons ? &*evidence.table.persons : nullptr;
  if (evidence.xy != nullptr) {
    if (auto refusal = RefuseOverJoin({draft.classes, evidence.xy->exact, persons}, evidence.xy->releases))
      return refusal;
  }
  if (evidence.budgets != nullptr) return RefuseUncharged(draft, evidence);
  return std::nullopt;
}

}  // namespace

// The one class that may make a verified release, and the one place where it does.
class Verifier {
 public:
  static VerifiedRelease Accept(Draft draft) { return VerifiedRelease(std::move(draft)); }
};

std::variant<VerifiedRelease, Refusal> Verify(Draft draft, const Evidence& evidence) {
  if (auto refusal = FindRefusal(draft, evidence)) return *std::move(refusal);
  return Verifier::Accept(std::move(draft));
}

}  // namespace pentimento
