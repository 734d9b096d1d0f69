// The attacks of an audit, each on all that they apply to. They see published releases in codes, and who is linked to
// what; what they compute is in src/audit and src/guarantee/history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/finding.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/audit/audited_release.h"
#include "engine/audit/linked_people.h"
#include "engine/composition/composition_words.h"

namespace pentimento {

struct AuditQuestion {
  std::optional<std::uint64_t> k;  // nothing: what each release promised
  std::optional<Ratio> alpha;
  std::vector<std::string> stay;    // columns whose values stay, by the user's word
  std::vector<std::string> change;  // columns whose values change
  bool shows_inference = false;
};

// All that the attacks look at. References outlive it.
struct AuditView {
  const AuditedReleases& audited;
  const std::vector<LinkedPeople>& links;
  const AuditQuestion& question;
  bool has_people = false;

  const AuditedRelease& release(std::size_t number) const { return audited.releases[number]; }
  const AuditedRelease& release(const LinkedPeople& link, std::size_t place) const {
    return audited.releases[link.releases[place].audited];
  }
};

struct AttackResult {
  AttackReport report;
  std::vector<Finding> findings;

  void Count(const std::string& name, std::optional<std::uint64_t> number) {
    report.numbers.push_back({name, number, ""});
  }
};

// A row of an inference table, in labels: whose it is, by the rows of the last release that has it.
struct InferenceRow {
  std::vector<std::string> labels;  // by quasi-identifier
  std::uint64_t cases = 0;
  std::vector<std::uint64_t> rows;  // of the release named below
  std::string release;
};
struct ShownInference {
  std::vector<std::string> releases;
  std::vector<std::string> quasi_identifiers;
  std::vector<InferenceRow> rows;
  std::uint64_t contradictory = 0;
};

AttackResult LookAtOrder(const AuditView& view);        // A0
AttackResult LookAtEachRelease(const AuditView& view);  // A1
AttackResult LookAtSeating(const AuditView& view);      // A2
// A3. The inference tables are filled in where they are asked for.
AttackResult LookAtJointClasses(const AuditView& view, std::vector<ShownInference>& inference);
// How many certain values are right, of those that the truth knows.
struct GuessScore {
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  std::uint64_t untold = 0;  // the truth does not name the person, or has no value
};
// By column, and person of the link by quasi-identifiers: the true value, or kNoValueCode.
struct TrueValues {
  std::string column;
  std::vector<Code> of_person;
};
AttackResult LookAtStayingValues(const AuditView& view, const std::vector<TrueValues>& truth,
                                 std::optional<GuessScore>& score);  // A4
AttackResult LookAtChangingValues(const AuditView& view);            // A5
AttackResult LookAtViews(const AuditView& view);                     // A6
AttackResult LookAtArrivals(const AuditView& view);                  // A7
AttackResult LookAtMovedRows(const AuditView& view);                 // A8

// What all of them share.
//
// Whether the values of the column change in this release: as the user says, else if it is under the global guarantee.
bool ValuesChange(const AuditQuestion& question, const AuditedRelease& release, const std::string& column);
std::vector<std::string> NamesOfLinked(const LinkedPeople& link, const std::vector<std::uint32_t>& places);
bool HasDraft(const AuditView& view, const LinkedPeople& link, const std::vector<std::uint32_t>& places);
// The rows of a person's classes in these releases.
std::vector<RowWitness> WitnessOfPerson(const AuditView& view, const LinkedPeople& link,
                                        const std::vector<std::uint32_t>& places, std::uint32_t person);
// Says of a report what was said of the releases that a link leaves out.
void TellLeftOut(const AuditView& view, const LinkedPeople& link, AttackReport& report);
// Why nobody is linked, where nobody is.
std::string WhyNobodyIsLinked(const AuditView& view);

}  // namespace pentimento
