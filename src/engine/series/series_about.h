// What every release of a series must agree on, as the ledger keeps it with each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct SeriesAbout {
  std::string series;
  std::string release;               // the one that this was kept with
  CaseNamer::Key case_key{};         // private: it links public names to the order of arrival
  std::uint64_t smallest_class = 0;  // no class of this release has fewer cases
  // No class that this release published a box for first had fewer people to make up for it: ClassCounts.
  std::uint64_t fewest_in_new_class = 0;
  std::string columns;  // quasi-identifiers with their domains, as canonical JSON
  std::string missing;  // what counts as missing, as JSON
  std::string cells;    // the other columns with role and type, as canonical JSON
  std::string form;     // "taxonomy" or "sets"
  std::uint64_t k = 0;  // what this release promised over the whole series
  bool hides_arrivals = false;
  bool has_ids = false;
  std::vector<bool> allows_missing;  // by quasi-identifier: whether its domain holds the missing value
};

// `domains` are those of the series; `input` knows the types of the other columns.
SeriesAbout DescribeSeries(const BoundPolicy& bound, const std::string& series, std::span<const Domain> domains,
                           const EncodedInput& input);

std::string ToJson(const SeriesAbout& about);
std::optional<SeriesAbout> ParseSeriesAbout(std::string_view json);

// Why a release described by `now` cannot follow one described by `before`, in words; nothing where it can.
std::optional<std::string> FindBreak(const SeriesAbout& before, const SeriesAbout& now);

// Why `k` cannot be promised from now on over a series that this release is part of, in words; nothing where it can.
std::optional<std::string> FindTooFewFor(std::uint64_t k, const SeriesAbout& about);

}  // namespace pentimento
