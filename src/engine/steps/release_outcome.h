// What is asked of one run, and what came of it: for every kind of release, and for every face that tells of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/ratio.h"
#include "engine/bind/guarantee_words.h"
#include "guarantee/global/persistence.h"
#include "io/input_table.h"
#include "policy/policy.h"
#include "utility/living.h"
#include "utility/metrics.h"

namespace pentimento {

// What the steward should know of a release besides its numbers, whether it is published or refused.
struct Remarks {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  // what looks like a mistake, or what somebody can know despite the guarantees

  void Add(Remarks more) {
    std::move(more.notes.begin(), more.notes.end(), std::back_inserter(notes));
    std::move(more.warnings.begin(), more.warnings.end(), std::back_inserter(warnings));
  }
};

struct ReleaseOptions {
  std::filesystem::path ledger;
  std::filesystem::path out;
  bool dry_run = false;               // everything but publishing and recording
  bool changes_only = false;          // of a series: publish what is new or refined, not everybody
  bool yes = false;                   // what looks like a mistake is meant
  bool new_ledger = false;            // that there is no ledger yet is meant, though releases are out
  bool show_values = false;           // of cells that do not fit, in messages: for a terminal alone
  std::optional<std::uint64_t> seed;  // for tests and repeats
  // The table, where it is handed over and not in the files that the policy names (PolicyUse::kStream).
  std::shared_ptr<InputTable> input = nullptr;
  Progress* progress = nullptr;
  Remarks* remarks = nullptr;  // filled on the way, so that they are there on a refusal, too
};

struct StepSeconds {
  double read = 0, partition = 0, verify = 0, write = 0, record = 0;
  double compose = 0;         // what it tells together with what is on record
  double load = 0, save = 0;  // what is on record, and may be published beside it; waiting for the state of a series
  double save_beside = 0;     // what of the state went to disk while something else was done: not on top of the others
};

// What a table of everybody told, compared with the series.
struct FullExportOutcome {
  std::uint64_t unchanged = 0;
  std::uint64_t corrected = 0;  // whose row is another one now
  std::uint64_t left = 0;
  std::uint64_t returned = 0;  // of the newcomers: who had left before
};

// What a release of a series did.
struct IncrementalOutcome {
  std::string series;
  std::size_t number = 0;     // of this release in the series, from 1
  std::uint64_t members = 0;  // cases in the series, those withdrawn included
  std::uint64_t newcomers = 0;
  std::uint64_t withdrawn = 0;  // with this release
  std::uint64_t left_out = 0;   // older rows of people who have a newer one in the same input
  std::uint64_t groups_joined = 0;
  std::uint64_t groups_refined = 0;
  std::optional<LivingCounts> living = {};  // nothing where only changes are looked at
  // Newcomers in classes with fewer than k people who have not left; nothing where only changes are looked at.
  std::optional<std::uint64_t> newcomers_among_few = {};
  bool hides_arrivals = false;
  std::uint64_t kept_k = 0;  // where an earlier release promised more than this policy asks for: that k
  bool changes_only = false;
  std::optional<FullExportOutcome> full_export = {};  // of a table that holds everybody; nothing in a first release
};

// What a release that is joined with earlier ones leaves beyond its guarantees.
struct XyOutcome {
  // A guarantee over the join with all its releases: what was asked for, and the number that is there.
  struct Reached {
    std::string guarantee;  // "xy-anonymity", "xy-linkability"
    std::string asked;
    std::string reached;
  };
  std::string one_to_one_json;  // of one-to-one matching; empty where there was nothing to look for
  std::vector<Reached> reached = {};
};

// Where specialization ended in a column, which has one cut for all rows.
struct ColumnCut {
  std::string column;
  std::uint64_t values = 0;   // that are published
  std::uint64_t refused = 0;  // of them, those that could be divided, and some guarantee would not hold then
};

// A sensitive column that nothing limits, and the classes in which it has a single value.
struct SingleValuedColumn {
  std::string column;
  SingleValued found;
};

// How close a release comes to its limits on sensitive values.
struct AlphaKOutcome {
  Ratio alpha;
  Ratio largest_share;       // of one limited value, or one limited set, in the rows of a class
  bool limits_sets = false;  // besides single values
};

// What a release under the global guarantee did, and what is left.
struct GlobalOutcome {
  std::string series;
  std::size_t number = 0;  // of this release in the series, from 1
  std::uint64_t newcomers = 0;
  std::uint64_t withheld = 0;  // rows that are not published, because too little is left of these people's budgets
  std::uint64_t left_out = 0;  // older rows of people who have a newer one in the same input

  // Where groups do not depend on who holds what: cuts were made as long as both sides had this many people.
  std::optional<std::uint64_t> blind_rows = {};

  struct Item {
    std::string name;
    std::uint64_t l = 0;
    std::uint64_t holders = 0;  // rows of this release
    std::uint64_t rows = 0;
    std::uint64_t releases_left = 0;  // that remain for these people, however they are grouped; all of them: any number
    std::optional<MeasuredPersistence> persistence;  // from the second release on, of what is published
  };
  std::vector<Item> items = {};
};

// What this release and those on record about the same people tell together.
struct CompositionOutcome {
  struct Release {
    std::string name;          // of a growing series its latest
    std::string series;        // of a growing series; otherwise empty
    std::uint64_t people = 0;  // who are also in this release
    bool imported = false;     // another tool made it
    bool by_content = false;   // it names nobody: who is in it is told by what it holds
  };
  struct Unknown {
    std::string name;
    std::string why;
    std::optional<std::uint64_t> people;  // nothing: nobody can tell who is in it
  };
  // People whose crowd, or joint class, is below k.
  struct Count {
    std::uint64_t below_k = 0;
    std::uint64_t alone = 0;
    std::uint64_t smallest = 0;
  };
  struct Certain {
    std::string column;
    std::uint64_t people = 0;
    bool is_exact = false;  // false: at least so many
  };
  struct Broken {
    std::string release;
    std::string what;       // "k = 5", "alpha = 1/2 of 'disease'"
    bool is_proved = true;  // false: it may be so, and nobody can show that it is not
  };

  std::vector<Release> releases;
  std::vector<Unknown> unknown;
  std::uint64_t k = 0;                // the smallest that one of these releases promises
  std::uint64_t people = 0;           // in one of them, this one included
  Count crowds;                       // for whoever does not know who is in which release
  std::uint64_t already_below_k = 0;  // of their people: without this release
  bool crowds_are_exact = true;
  Count joint;                            // for whoever knows it
  std::vector<Certain> certain;           // by sensitive column that several of them have
  std::vector<std::string> not_compared;  // sensitive columns whose values nobody compared
  std::vector<std::vector<std::string>> minimal_sets;
  bool has_every_set = true;
  std::vector<Broken> broken;
  bool refuses_broken = false;            // what the policy says or, where it says nothing, these promises
  std::vector<std::string> other_people;  // releases that are of others, by the steward's word
};

// What happened, for people and programs.
//
// What is promised is told from `promise` alone, at every door: on the screen, in --json, in
// datapackage.json and in the ledger.
struct ReleaseOutcome {
  std::string release;
  bool dry_run = false;
  Promise promise;
  PublishForm form = PublishForm::kGeneralized;
  std::uint64_t k = 0;
  bool counts_persons = false;
  std::uint64_t persons = 0;  // where an id column is named
  std::vector<std::string> quasi_identifiers;
  std::vector<std::string> dropped;
  Metrics metrics;
  StepSeconds seconds;
  std::filesystem::path folder;                   // where it was published
  std::vector<std::string> files;                 // relative to `folder`
  std::optional<CompositionOutcome> composition;  // nothing: no other release is on record
  std::string method;                             // how classes are made, where there is a choice; otherwise empty
  std::optional<std::size_t> specializations;     // where they are made by them
  std::vector<ColumnCut> cuts;                    // then: by generalized column
  std::optional<IncrementalOutcome> incremental;
  std::optional<XyOutcome> xy;
  std::optional<AlphaKOutcome> alpha_k;
  std::optional<GlobalOutcome> global;
  // Nothing: sensitive values are limited, or only what is published tells (a dry run of a series, changes alone).
  std::optional<std::vector<SingleValuedColumn>> single_valued;
  std::string new_ledger;              // in words, where this run begins the ledger; otherwise empty
  std::vector<std::string> recovered;  // what an earlier, interrupted run left behind and what was done about it
  Remarks remarks;                     // these are among its notes
};

}  // namespace pentimento
