// What every step of one run has in hand, and the steps that all kinds of releases take alike: reading the input,
// asking whether its people may be published, writing tables and state side by side.
//
// 1. The policy that is bound changes in Recall alone, and only to promise more.
// 2. Remarks are filled on the way, so that they are there on a refusal, too.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "anonymize/specialize/specialize.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/release_memory.h"
#include "engine/steps/release_outcome.h"
#include "guarantee/verify.h"
#include "io/encode.h"
#include "ledger/open_entry.h"
#include "release/classes.h"
#include "utility/metrics.h"

namespace pentimento {

// A verifier's refusal as the error that ends a run. `who`: more about the witness, after its words.
Error Refused(const Refusal& refusal, const std::string& who = "");

struct ReleaseRun {
  ReleaseRun(BoundPolicy bound, const ReleaseOptions& options, ReleaseMemory memory);
  ReleaseRun(const ReleaseRun&) = delete;
  ReleaseRun& operator=(const ReleaseRun&) = delete;

  BoundPolicy bound;  // a context's Recall may tighten it, to what earlier releases promised; nobody after it does
  ReleaseOptions options;
  ReleaseMemory memory;
  Seed seed;
  Progress* progress;  // never null
  Remarks* remarks;    // never null; filled on the way, so that they are there on a refusal, too

 private:
  Progress silent_;
  Remarks own_remarks_;  // where nobody asks for them
};

// Rows are put into an order drawn from `order`. Identities row by row are kept where somebody has to look people up.
Result<EncodedInput> ReadInput(ReleaseRun& run, const Seed& order, bool keep_identities);

// kRefused where a release on record must not have the same people. Returns how many they are.
Result<std::uint64_t> AdmitPeople(ReleaseRun& run, std::span<const IdentityHash> people);

// Who is in a release, while they are saved.
struct SavedPeople {
  std::future<Result<SavedState>> state = {};  // not begun in a dry run
  // Null where nothing else is on record: nobody asks who they are, and they take 16 bytes each.
  SharedPeople people = {};
};
Result<SavedPeople> BeginPeopleState(ReleaseRun& run, std::vector<IdentityHash> people);

// Begins to save the classes of the release. Nothing where nobody is named, or where the state of a series has them.
std::future<Result<SavedState>> BeginClassesState(ReleaseRun& run, const std::optional<OwnClasses>& own);

// The classes of a release of this table, in the ledger's form. Where nobody is named each row is a person, and nothing
// is told of them where nothing else is on record. `confusable`: see ReleasedRows.
std::optional<OwnClasses> OwnClassesOf(const ReleaseRun& run, const EncodedInput& input, const Classes& classes,
                                       const SharedPeople& people, std::vector<ClassNumber> confusable = {});

Status RequireEnoughPeople(const BoundPolicy& bound, std::uint64_t there);

// What one generalized table loses.
Metrics MeasureTable(const BoundPolicy& bound, const EncodedInput& input, const Classes& classes);

// Where specialization ended, by generalized column.
std::vector<ColumnCut> CutsOf(const BoundPolicy& bound, const Specialized& made);

// The sensitive columns, as far as no guarantee of the policy limits their values.
std::optional<std::vector<SingleValuedColumn>> FindSingleValued(const BoundPolicy& bound, const EncodedInput& input,
                                                                const Classes& classes);

// What is written and not on record yet.
struct Staged {
  std::uint64_t rows = 0;  // that are published
  std::vector<PublishedFile> files;
  std::vector<StateFileRecord> state;
  std::vector<std::string> replaces = {};  // state files of earlier releases that go with this one
  double save_beside = 0;                  // seconds: what of the state went to disk while something else was done
  std::optional<std::vector<SingleValuedColumn>> single_valued = {};  // where it is known once all rows are there
};

// The state goes to disk meanwhile: the disk works while we format.
Result<Staged> StageBeside(std::future<Result<SavedState>> state,
                           const std::function<Result<std::vector<PublishedFile>>()>& stage_tables, std::uint64_t rows);

}  // namespace pentimento
