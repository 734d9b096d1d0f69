// (alpha,k)-anonymity of one release, as one generalized table or as two tables: see alpha_k_anonymity.md for what is
// promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/interval.h"
#include "base/ratio.h"
#include "policy/policy.h"
#include "release/alpha_k_claim.h"
#include "release/classes.h"
#include "release/draft.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

// How a release breaks the promise. Of a class with several faults the first of these is told.
enum class AlphaKBreach {
  kTooFewPeople,      // `count` people in a class where `of` are required
  kTooManyRows,       // `count` of the `of` rows of a class have what is limited
  kTooManyPeople,     // `count` of the `of` people of a class have it in one of their rows
  kOnePersonTooOften  // somebody with `count` rows in `of` classes has it in one of them with a greater chance
};

struct AlphaKViolation {
  AlphaKBreach breach = AlphaKBreach::kTooFewPeople;
  std::uint32_t limit = 0;  // of the claim, where one is broken
  Code value = 0;           // where the limit is for each value by itself: which; nothing for messages
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  std::optional<Ratio> chance;  // of one person, where 64 bits hold it
  std::size_t row = 0;          // of the input, counted from 0: one of the class, or of the person
};

// Of one generalized table. Classes are rows published with equal boxes; the sensitive columns are published as they
// are. The claim and the draft are well-formed, and every column has a code for every row.
std::optional<AlphaKViolation> FindAlphaKViolation(const EncodedTable& table,
                                                   std::span<const CodeColumn* const> sensitive,
                                                   const AlphaKClaim& claim, const Classes& draft);

// Of two tables. Looks at who is in which class and at the counts, never at the sensitive values of rows. The claim and
// the tables are well-formed (two_tables_form.h), and values are codes of their columns.
std::optional<AlphaKViolation> FindAlphaKViolation(const EncodedTable& table, const AlphaKClaim& claim,
                                                   const Draft& tables);

// The whole table as one class, before anything is made of it. Too few people, or too many rows with a value, mean that
// no release can hold the promise: a share over all rows is never above the greatest share of a class. The other
// breaches need people with several rows; a finer division may avoid them, though makers begin with one class.
std::optional<AlphaKViolation> FindInfeasible(const EncodedTable& table, std::span<const CodeColumn* const> sensitive,
                                              const AlphaKClaim& claim, PublishForm form);

// In words, for people: rows by number, columns by name or by number where no names are given, never a value.
// `counts_people`: the policy names an id column.
std::string Describe(const AlphaKViolation& violation, const AlphaKClaim& claim, bool counts_people,
                     std::span<const std::string> column_names = {});

}  // namespace pentimento
