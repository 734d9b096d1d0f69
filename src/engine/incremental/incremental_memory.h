// The ledger as a series needs it: its earlier releases, looked at in place; and who comes, who leaves and who is there
// already when a batch joins it.
//
// State files are mapped and never changed: what is returned points into them, and is valid as long as the memory is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "base/hash.h"
#include "base/result.h"
#include "engine/incremental/incremental_about.h"
#include "engine/steps/one_row_each.h"
#include "ledger/incremental_state.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {

// What a release keeps of its newcomers' cells.
struct KeptRows {
  std::optional<MappedStateFile> file;  // nothing where no column was published as it came
  std::uint64_t rows = 0;
};

// A person whom a series names, and the member that the person is in it.
struct NamedMember {
  IdentityHash identity;
  CaseNumber member = 0;
};

// The growing series that a published release is of; empty where it is of none.
std::string GrowingSeriesOf(const ReleaseRecord& release);

class IncrementalMemory {
 public:
  // `ledger` may be null: a dry run before there is one. `check`: how much is read before it is believed.
  static Result<IncrementalMemory> Open(Ledger* ledger, const std::string& series, std::size_t columns,
                                        StateCheck check);

  bool is_new() const { return segments_.empty(); }
  std::size_t releases() const { return segments_.size(); }
  // Of every earlier release, in their order.
  const std::vector<IncrementalAbout>& abouts() const { return abouts_; }
  IncrementalView view() const;

  // To be asked before somebody is looked up: a damaged hash would let a person in twice.
  Status RequireIntactIdentities() const;
  // The living member with this identity.
  std::optional<CaseNumber> FindMember(const IdentityHash& identity) const;
  // To be asked before these records are read: an error where they are not as they were written.
  Status RequireIntactRecords(std::span<const LeafPart> parts) const;
  bool HasLeft(CaseNumber member) const;
  // Everybody whom the series names, release after release; who came back is there more than once.
  std::vector<NamedMember> NamedMembers() const;
  // Everybody whom the series names, ascending, each once: as the member that the person was last.
  std::vector<NamedMember> LatestMembers() const;

  // The cells of the newcomers of every earlier release, in their order.
  Result<std::vector<KeptRows>> MapRows(StateCheck check) const;
  // Where the earlier releases were published, in their order. What is there may have been changed or moved since.
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  IncrementalMemory() = default;
  // Who the newcomers of a release are: a file of its own.
  struct KnownPeople {
    std::optional<MappedStateFile> file;  // nothing without an id column, or where nobody came
    std::string path;
    std::span<const IdentityHash> hashes;  // ascending; who they are says identified() of the segment
  };

  static Result<KnownPeople> OpenPeople(const Ledger& ledger, std::span<const StateFileRecord> files, StateCheck check);

  Ledger* ledger_ = nullptr;
  std::size_t columns_ = 0;
  StateCheck check_ = StateCheck::kPayload;
  std::vector<IncrementalSegment> segments_;
  std::vector<std::string> files_;   // parallel: where each is, for messages
  std::vector<KnownPeople> people_;  // parallel
  std::vector<IncrementalAbout> abouts_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::optional<StateFileRecord>> rows_;  // by release; nothing where no cells are kept
};

// Who comes, who leaves and who is there already, when a batch joins a series.
struct IncrementalPeople {
  std::vector<std::uint32_t> dropped;    // rows of the batch that a newer row of the same person replaces; ascending
  std::vector<CaseNumber> withdrawn;     // earlier members who leave; ascending
  std::vector<CaseNumber> replaced;      // of these, the older cases of people who come in the same batch; ascending
  std::vector<IdentityHash> identities;  // of the newcomers, ascending …
  std::vector<std::uint32_t> rows;       // … and their rows of the batch
};

// A person who is to be removed, and where that is said.
struct Removal {
  IdentityHash identity;
  std::string where;  // "gone.csv: row 3 (the header not counted)"
};

// kBadInput where a person is there twice and the rule does not allow it, or where somebody is to leave who is not
// there.
Result<IncrementalPeople> SortOutPeople(const IncrementalMemory& memory, std::vector<IdentityHash> identity_of_row,
                                        RepeatedRule rule, std::span<const Removal> removals, const RowPlaces& places);

}  // namespace pentimento
