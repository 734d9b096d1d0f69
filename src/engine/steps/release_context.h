// What the flow asks of a context: all that differs between kinds of releases. Prepare in publish.cc calls these
// functions in this order, once each. A new kind of release is a struct that fulfils this concept, and a line in
// PrepareInContext.
//
// 1. A context has no fields: each function gets what the ones before it returned, and may use up what it gets as `&`.
// 2. Only what Verify returns is told or written.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/published/datapackage.h"
#include "engine/steps/own_classes.h"
#include "engine/steps/release_outcome.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "io/encode.h"
#include "utility/metrics.h"

namespace pentimento {

template <typename Context>
concept ReleaseContext = requires(ReleaseRun& run, const PackageWords& words, EncodedInput input,
                                  ReleaseOutcome& outcome, typename Context::Recalled& recalled,
                                  typename Context::Admitted& admitted, typename Context::Made made,
                                  typename Context::Verified& verified, const ShowRows& show) {
  // What the progress bar says while the draft is made.
  { Context::kMaking } -> std::convertible_to<std::string>;
  // What is on record about the series or the join, before anything large is read. It alone may tighten the policy.
  { Context::Recall(run) } -> std::same_as<Result<typename Context::Recalled>>;
  { Context::Read(run, recalled) } -> std::same_as<Result<EncodedInput>>;
  // Who is in it, and whether it may be published at all: kRefused, in better words than the verifier has.
  { Context::Admit(run, recalled, std::move(input)) } -> std::same_as<Result<typename Context::Admitted>>;
  { admitted.people } -> std::convertible_to<std::uint64_t>;
  // A draft, which need not be trusted.
  { Context::Make(run, recalled, admitted) } -> std::same_as<Result<typename Context::Made>>;
  // Asks pentimento::Verify, and measures what is lost.
  { Context::Verify(run, recalled, admitted, std::move(made)) } -> std::same_as<Result<typename Context::Verified>>;
  { verified.metrics } -> std::convertible_to<Metrics>;
  { verified.save_seconds } -> std::convertible_to<double>;  // of it: for state, and not for verifying
  // For whoever looks at all releases on record together: this one, and those that its promise covers already.
  // Nothing where nobody is named.
  { Context::Own(run, admitted, verified) } -> std::same_as<std::optional<OwnClasses>>;
  { Context::OwnReleases(recalled, admitted) } -> std::same_as<std::set<std::string>>;
  // The rows, where each is about one of the people of Own, and they are whole; else null.
  { Context::RowsOfPeople(admitted) } -> std::same_as<const EncodedInput*>;
  // What only this kind of release tells.
  { Context::Tell(run, recalled, admitted, verified, outcome) } -> std::same_as<void>;
  // Hands over the rows that would be published; in a dry run alone.
  { Context::Show(run, admitted, verified, show) } -> std::same_as<Status>;
  // Writes tables and state under hidden names; not in a dry run.
  { Context::Stage(run, words, recalled, admitted, verified) } -> std::same_as<Result<Staged>>;
};

}  // namespace pentimento
