// What an audit says: findings, and of each attack whether it was made at all. Nothing in it is a cell, or says who
// somebody is, but for the numbers of published rows.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pentimento {

// The attacks, by the letters and numbers of docs/formats/audit.md.
enum class Attack { kA0, kA1, kA2, kA3, kA4, kA5, kA6, kA7, kA8 };
inline constexpr Attack kEveryAttack[] = {Attack::kA0, Attack::kA1, Attack::kA2, Attack::kA3, Attack::kA4,
                                          Attack::kA5, Attack::kA6, Attack::kA7, Attack::kA8};
std::string_view CodeOf(Attack attack);   // "A3"
std::string_view InWords(Attack attack);  // "joint classes"

enum class FindingKind {
  kHygiene,       // an order or an id tells something
  kSmallClass,    // one release has a class with fewer than k rows
  kSeating,       // whoever counts knows more of somebody's class than the boxes say
  kJointClasses,  // a crowd, or a joint class, of several releases below k
  kCertainValue,  // a sensitive value that cannot be another one
  kAlpha,         // a sensitive value that is surer than alpha
  kEver,          // a value that somebody ever had, surer than its limit
  kViews,         // a join of views tells more than each of them
  kArrivals,      // few newcomers, leavers, or living
  kMovedRows,     // rows that were moved because of their value
};
inline constexpr FindingKind kEveryFindingKind[] = {
    FindingKind::kHygiene,      FindingKind::kSmallClass, FindingKind::kSeating, FindingKind::kJointClasses,
    FindingKind::kCertainValue, FindingKind::kAlpha,      FindingKind::kEver,    FindingKind::kViews,
    FindingKind::kArrivals,     FindingKind::kMovedRows};
std::string_view NameOf(FindingKind kind);  // "joint-classes"
std::optional<FindingKind> ParseFindingKind(std::string_view name);

enum class Certainty {
  kExact,       // so many people, no more and no fewer
  kLowerBound,  // these people for sure, and perhaps more
  kEstimate,    // not proved; breaks no promise by itself
  kTest,        // would hardly happen by chance
};
std::string_view NameOf(Certainty certainty);

// Rows of a published file, counted from 1, the header not counted.
struct RowWitness {
  std::string release;
  std::string file;
  std::vector<std::uint64_t> rows;  // some of them, ascending
  std::uint64_t of = 0;             // how many there are

  friend auto operator<=>(const RowWitness&, const RowWitness&) = default;
};

struct BrokenPromise {
  std::string release;
  std::string what;  // "k = 5"

  friend auto operator<=>(const BrokenPromise&, const BrokenPromise&) = default;
};

struct Finding {
  Attack attack = Attack::kA1;
  FindingKind kind = FindingKind::kSmallClass;
  std::vector<std::string> releases = {};  // no fewer of them show it
  std::string column = {};                 // where it is about values
  std::uint64_t people = 0;                // rows, where nobody is told apart
  Certainty certainty = Certainty::kExact;
  std::vector<RowWitness> witness = {};
  std::vector<BrokenPromise> broken = {};
  std::string sentence = {};
  std::string prevention = {};  // what would have prevented it
  bool has_draft = false;       // a release of it is not out yet

  friend auto operator<=>(const Finding&, const Finding&) = default;
};

enum class AttackState { kDone, kStopped, kDoesNotApply };
std::string_view NameOf(AttackState state);

// What an attack counted: a number, or nothing where it is not known; a fraction is a text.
struct AttackNumber {
  std::string name;
  std::optional<std::uint64_t> number;
  std::string fraction = {};
};

struct AttackReport {
  Attack attack = Attack::kA0;
  AttackState state = AttackState::kDoesNotApply;
  std::vector<std::string> reasons;  // why it was stopped, or does not apply, in full or for some releases
  std::vector<AttackNumber> numbers;
};

// By attack, then releases, kind and all else; equal ones once.
void SortFindings(std::vector<Finding>& findings);

// What makes an audit fail.
struct FailRule {
  bool on_broken_promise = true;  // a finding that breaks a promise
  bool on_any = false;
  std::vector<FindingKind> kinds;
};
bool Fails(const FailRule& rule, std::span<const Finding> findings);

}  // namespace pentimento
