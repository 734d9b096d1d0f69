// Tables with sensitive values, a promise about them, and a release of them in either form: what the property tests of
// (alpha,k)-anonymity walk through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "guarantee/verify.h"
#include "oracle/two_tables_oracle.h"
#include "policy/policy.h"
#include "property/small_tables.h"
#include "release/alpha_k_claim.h"
#include "release/classes.h"
#include "release/draft.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::property {

// The promise twice: in the words of the policy, and in codes.
struct AlphaKPromise {
  AlphaKAnonymityPolicy policy;
  AlphaKClaim claim;
};

struct AlphaKTable {
  EncodedTable table;
  std::vector<Domain> domains;
  std::vector<CodeColumn> sensitive;
  std::vector<Code> value_counts;  // by sensitive column; the last value may be the missing one

  oracle::alpha_k::SensitiveColumns columns() const {
    oracle::alpha_k::SensitiveColumns columns;
    for (const CodeColumn& column : sensitive) columns.push_back(&column);
    return columns;
  }
};

struct AlphaKInstance {
  AlphaKTable data;
  AlphaKPromise promise;
  Classes draft;
  Draft tables;
};

inline Ratio Reduced(std::uint64_t num, std::uint64_t den) {
  const std::uint64_t divisor = std::gcd(num, den);
  return {num / divisor, den / divisor};
}

// One column of points 0, 1, ...: enough to tell classes apart.
inline std::vector<Domain> LineOfPoints(std::int64_t count) {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, count - 1, 0, {}}, false);
  return domains;
}

inline CodeColumn ColumnOf(const std::vector<Code>& codes, Code value_count) {
  CodeColumn column(value_count, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

// A table of one quasi-identifier that is the number of the row's class. `persons`: empty where no column is an id.
inline AlphaKTable TableOf(const std::vector<Code>& class_of_row, const std::vector<std::vector<Code>>& sensitive,
                           const std::vector<Code>& value_counts, const std::vector<std::uint32_t>& persons = {}) {
  AlphaKTable data;
  const Code points = std::max<Code>(2, 1 + *std::ranges::max_element(class_of_row));
  data.table.rows = class_of_row.size();
  data.table.quasi_identifiers.push_back(ColumnOf(class_of_row, points));
  data.domains = LineOfPoints(points);
  data.value_counts = value_counts;
  for (std::size_t c = 0; c < sensitive.size(); ++c) data.sensitive.push_back(ColumnOf(sensitive[c], value_counts[c]));
  if (!persons.empty()) {
    data.table.persons = Persons{persons, 1 + *std::ranges::max_element(persons)};
  }
  return data;
}

// Alpha for the values below `limited` of every column.
inline AlphaKPromise PromiseOf(Ratio alpha, std::uint64_t k, const std::vector<Code>& limited) {
  AlphaKPromise promise;
  promise.policy.alpha = alpha;
  promise.policy.k = promise.claim.k = k;
  for (std::uint32_t c = 0; c < limited.size(); ++c) {
    std::vector<Code> values(limited[c]);
    std::iota(values.begin(), values.end(), 0);
    promise.claim.limits.push_back({c, values, false, alpha});
  }
  return promise;
}

inline void AddLimit(AlphaKPromise& promise, std::uint32_t column, const std::vector<Code>& values, Ratio at_most) {
  SensitiveLimitPolicy written{
      .column = "s" + std::to_string(column), .values = {}, .at_most = at_most, .position = {}};
  for (const Code value : values) written.values.push_back("v" + std::to_string(value));
  promise.policy.limits.push_back(written);
  promise.claim.limits.push_back({column, values, true, at_most});
}

// Classes as points, published as they are.
inline Classes DraftByPoints(const AlphaKTable& data) {
  Classes draft{.columns = 1, .boxes = {}, .of_row = {}};
  for (Code point = 0; point < data.domains[0].size(); ++point) draft.boxes.push_back({point, point});
  for (std::size_t row = 0; row < data.table.rows; ++row) {
    draft.of_row.push_back(data.table.quasi_identifiers[0][row]);
  }
  return draft;
}

// The same classes under numbers without gaps, and what SS says of them. Written for tests, apart from the maker's.
inline Draft TablesOf(const AlphaKTable& data, const std::vector<std::size_t>& class_of_row, bool combined) {
  Draft tables{ClassesWithoutBoxes(0, {})};
  std::map<std::size_t, ClassNumber> number_of;
  for (const std::size_t c : class_of_row) number_of.emplace(c, 0);
  for (auto& [c, number] : number_of) number = tables.classes.without_boxes++;
  for (const std::size_t c : class_of_row) tables.classes.of_row.push_back(number_of[c]);
  std::vector<std::vector<std::uint32_t>> split;
  for (std::uint32_t c = 0; c < data.sensitive.size(); ++c) {
    if (!combined || c == 0) split.emplace_back();
    split.back().push_back(c);
  }
  for (const auto& columns : split) {
    std::map<std::pair<ClassNumber, std::vector<Code>>, std::uint64_t> found;
    for (std::size_t row = 0; row < class_of_row.size(); ++row) {
      std::vector<Code> value;
      for (const std::uint32_t c : columns) value.push_back(data.sensitive[c][row]);
      ++found[{tables.classes.of_row[row], value}];
    }
    SensitiveCounts counts;
    counts.columns = columns;
    for (const auto& [entry, count] : found) {
      counts.class_of_entry.push_back(entry.first);
      counts.values.insert(counts.values.end(), entry.second.begin(), entry.second.end());
      counts.count.push_back(count);
    }
    tables.sensitive.push_back(std::move(counts));
  }
  return tables;
}

inline AlphaKInstance InstanceByPoints(AlphaKTable data, AlphaKPromise promise, bool combined = false) {
  AlphaKInstance instance{std::move(data), std::move(promise), {}, {}};
  instance.draft = DraftByPoints(instance.data);
  instance.tables = TablesOf(instance.data, oracle::alpha_k::ClassesOf(instance.draft), combined);
  return instance;
}

// Two sensitive columns, alpha and two more limits; the data keep all of it, just so.
inline AlphaKInstance PolicyWithLimits() {
  AlphaKTable data = TableOf({0, 0, 0, 1, 1, 1}, {{0, 1, 2, 0, 1, 3}, {0, 1, 2, 2, 1, 0}}, {4, 3});
  AlphaKPromise promise = PromiseOf({1, 3}, 3, {4, 3});
  AddLimit(promise, 0, {0, 1}, {2, 3});
  AddLimit(promise, 1, {2}, {1, 3});
  return InstanceByPoints(std::move(data), std::move(promise));
}

// --- The verifiers.

inline std::variant<VerifiedRelease, Refusal> VerifyDraft(const AlphaKInstance& instance) {
  const std::vector<GuaranteePolicy> guarantees = {instance.promise.policy};
  const auto columns = instance.data.columns();
  return Verify({instance.draft}, {instance.data.table, instance.data.domains, CategoryForm::kTaxonomy, guarantees,
                                   columns, &instance.promise.claim});
}

inline std::variant<VerifiedRelease, Refusal> VerifyTables(const AlphaKInstance& instance) {
  const std::vector<GuaranteePolicy> guarantees = {instance.promise.policy};
  const auto columns = instance.data.columns();
  return Verify(instance.tables, {instance.data.table, instance.data.domains, CategoryForm::kTaxonomy, guarantees,
                                  columns, &instance.promise.claim});
}

template <typename Verified>
std::string WitnessOf(const std::variant<Verified, Refusal>& result) {
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal == nullptr ? "accepted" : "refused: " + refusal->guarantee + ": " + refusal->witness;
}

inline std::string DraftFault(const AlphaKInstance& instance) {
  return oracle::alpha_k::FaultOfDraft(instance.data.table, instance.data.columns(), instance.promise.claim,
                                       instance.draft);
}

inline std::string TablesFault(const AlphaKInstance& instance) {
  return oracle::alpha_k::FaultOfTwoTables(instance.data.table, instance.data.columns(), instance.promise.claim,
                                           instance.tables);
}

// For messages of failing tests: everything that is needed to repeat the case by hand.
inline std::string Describe(const AlphaKInstance& instance) {
  std::string text = "k=" + std::to_string(instance.promise.claim.k);
  for (const SensitiveLimit& limit : instance.promise.claim.limits) {
    text += "; s" + std::to_string(limit.column) + (limit.together ? " {" : " each of {");
    for (const Code value : limit.values) text += std::to_string(value) + " ";
    text += "} <= " + ToString(limit.at_most);
  }
  const auto classes = oracle::alpha_k::ClassesOf(instance.draft);
  for (std::size_t row = 0; row < instance.data.table.rows; ++row) {
    text += "\n  row " + std::to_string(row) + ": class " + std::to_string(classes[row]) + " number " +
            std::to_string(instance.tables.classes.of_row.at(row));
    if (instance.data.table.persons) {
      text += " person " + std::to_string(instance.data.table.persons->person_of_row[row]);
    }
    for (const CodeColumn& column : instance.data.sensitive) text += " value " + std::to_string(column[row]);
  }
  return text;
}

// --- Random instances.

inline Ratio RandomLimit(Random& random, std::uint32_t rows) {
  const std::uint32_t kind = random.Below(12);
  if (kind == 0) return {0, 1};
  if (kind == 1) return {1, 1};
  // Mostly shares that a class can really have, so that both sides of a boundary are met; sometimes products of such
  // shares, which a person with rows in two classes can have, and decimals just below a third.
  const std::uint32_t den = 1 + random.Below(rows);
  if (kind == 2) return {33, 100};
  if (kind < 5) return Reduced(random.Below(den * den + 1), den * den);
  return Reduced(1 + random.Below(den), den);
}

inline AlphaKPromise RandomPromise(Random& random, std::uint32_t rows, const std::vector<Code>& value_counts) {
  std::vector<Code> limited;
  for (const Code count : value_counts) limited.push_back(random.Below(2) == 0 ? count : 1 + random.Below(count));
  AlphaKPromise promise = PromiseOf(RandomLimit(random, rows), 1 + random.Below(3), limited);
  for (std::uint32_t more = random.Below(3); more > 0; --more) {
    const std::uint32_t column = random.Below(static_cast<std::uint32_t>(value_counts.size()));
    std::set<Code> values;
    for (std::uint32_t i = 1 + random.Below(3); i > 0; --i) values.insert(random.Below(value_counts[column]));
    AddLimit(promise, column, {values.begin(), values.end()}, RandomLimit(random, rows));
  }
  return promise;
}

// Most values are drawn so that they are spread inside a class: otherwise nothing would ever hold.
inline std::vector<Code> RandomValues(Random& random, const std::vector<Code>& class_of_row, Code value_count) {
  std::vector<Code> values(class_of_row.size());
  std::map<Code, Code> next;
  const bool spread = random.Below(3) != 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Code turn = next.try_emplace(class_of_row[row], random.Below(value_count)).first->second++;
    values[row] = spread && random.Below(6) != 0 ? turn % value_count : random.Below(value_count);
  }
  return values;
}

enum class Ids { kNone, kOneRowEach, kSeveralRows };

inline std::vector<std::uint32_t> RandomPersons(Random& random, std::uint32_t rows, Ids ids) {
  std::vector<std::uint32_t> persons;
  if (ids == Ids::kNone) return persons;
  // Person numbers are dense: everybody below the largest number has a row.
  const std::uint32_t count = ids == Ids::kOneRowEach ? rows : 1 + random.Below(rows);
  for (std::uint32_t row = 0; row < rows; ++row) persons.push_back(row < count ? row : random.Below(count));
  for (std::uint32_t i = rows; i > 1; --i) std::swap(persons[i - 1], persons[random.Below(i)]);
  return persons;
}

// The largest chance of a person or, where `of_persons`, the largest share of persons that the release really has for
// one of the limits: where the result turns.
inline Ratio LargestShare(const AlphaKInstance& instance, const SensitiveLimit& limit, bool of_persons) {
  namespace definition = oracle::alpha_k;
  const auto class_of_row = definition::ClassesOf(instance.draft);
  const auto person_of_row = definition::PersonOfRow(instance.data.table);
  Ratio largest{0, 1};
  for (const auto& limited : definition::EachLimit({1, {limit}})) {
    std::map<std::size_t, std::size_t> with_value;
    std::map<std::size_t, std::set<std::size_t>> persons, persons_with;
    for (std::size_t row = 0; row < class_of_row.size(); ++row) {
      persons[class_of_row[row]].insert(person_of_row[row]);
      if (!limited.values.contains(instance.data.sensitive[limited.column][row])) continue;
      ++with_value[class_of_row[row]];
      persons_with[class_of_row[row]].insert(person_of_row[row]);
    }
    for (const auto& [c, with] : persons_with) {
      if (of_persons) largest = std::max(largest, Reduced(with.size(), persons[c].size()));
    }
    for (const auto& [person, chance] : definition::ChancesByWorlds(class_of_row, with_value, person_of_row)) {
      if (!of_persons) largest = std::max(largest, Reduced(chance.worlds_with, chance.worlds));
    }
  }
  return largest;
}

// Moves a limit to where the result turns, or a thousandth to either side of it.
inline Ratio AtTheTurn(Random& random, Ratio share) {
  const std::uint64_t num = share.num * 1000 + 1 - random.Below(3), den = share.den * 1000;
  return share.num == 0 || num > den ? share : Reduced(num, den);
}

inline void SharpenLimits(Random& random, AlphaKInstance& instance) {
  AlphaKPromise& promise = instance.promise;
  const bool of_persons = random.Below(2) == 0;
  Ratio alpha{0, 1};
  for (const SensitiveLimit& limit : promise.claim.limits) {
    if (!limit.together) alpha = std::max(alpha, LargestShare(instance, limit, of_persons));
  }
  alpha = AtTheTurn(random, alpha);
  promise.policy.alpha = alpha;
  std::size_t written = 0;
  for (SensitiveLimit& limit : promise.claim.limits) {
    limit.at_most = limit.together ? AtTheTurn(random, LargestShare(instance, limit, of_persons)) : alpha;
    if (limit.together) promise.policy.limits[written++].at_most = limit.at_most;
  }
}

inline AlphaKInstance RandomInstance(Random& random, Ids ids) {
  const std::uint32_t rows = 1 + random.Below(8), classes = 1 + random.Below(std::min<std::uint32_t>(rows, 3));
  std::vector<Code> class_of_row;
  for (std::uint32_t row = 0; row < rows; ++row) class_of_row.push_back(row < classes ? row : random.Below(classes));
  std::vector<std::vector<Code>> sensitive;
  std::vector<Code> value_counts;
  for (std::uint32_t c = 1 + random.Below(2); c > 0; --c) {
    value_counts.push_back(2 + random.Below(4));
    sensitive.push_back(RandomValues(random, class_of_row, value_counts.back()));
  }
  AlphaKTable data = TableOf(class_of_row, sensitive, value_counts, RandomPersons(random, rows, ids));
  AlphaKPromise promise = RandomPromise(random, rows, value_counts);
  AlphaKInstance instance = InstanceByPoints(std::move(data), std::move(promise), random.Below(2) == 0);
  if (random.Below(3) == 0) SharpenLimits(random, instance);
  return instance;
}

// Every table of this many rows, up to `classes` classes and `values` values of one column, with every way in which
// rows can belong to persons and without ids; body(data).
template <typename Body>
void ForEachAlphaKTable(std::size_t rows, std::uint32_t classes, std::uint32_t values, const Body& body) {
  ForEachSequence(rows, classes * values, [&](const std::vector<std::uint32_t>& digits) {
    std::vector<Code> class_of_row, value_of_row;
    for (const std::uint32_t digit : digits) {
      class_of_row.push_back(digit / values);
      value_of_row.push_back(digit % values);
    }
    body(TableOf(class_of_row, {value_of_row}, {values}));
    ForEachPersons(rows, [&](const Persons& persons) {
      body(TableOf(class_of_row, {value_of_row}, {values}, persons.person_of_row));
    });
  });
}

}  // namespace pentimento::property
