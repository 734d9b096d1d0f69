#include "engine/serial/input_hash.h"

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/mix64.h"
#include "base/parallel.h"
#include "io/csv_rows.h"

namespace pentimento {
namespace {

constexpr std::size_t kPeopleGrain = std::size_t{1} << 14;

std::uint64_t HashOf(const std::string& text) { return Checksum(std::as_bytes(std::span(text))); }

// Codes of values are this table's own: another table has them for other values. Texts are the same in every format.
std::vector<std::uint64_t> HashesOfValues(const ValueColumn& column) {
  const std::uint64_t name = Mix64{}(HashOf(column.name));
  std::vector<std::uint64_t> of_code;
  for (const std::string& value : CsvTexts(column)) of_code.push_back(Mix64{}(HashOf(value) ^ name));
  if (column.null_code) of_code[*column.null_code] = Mix64{}(name);
  return of_code;
}

}  // namespace

std::string InputHash(const EncodedInput& input, std::span<const std::string> quasi_identifiers,
                      const PeopleOfRows& people) {
  Check(quasi_identifiers.size() == input.table.quasi_identifiers.size(), "every quasi-identifier has a name");
  std::vector<std::vector<std::uint64_t>> hashes_of_values;
  for (const ValueColumn& column : input.values) hashes_of_values.push_back(HashesOfValues(column));
  // A sum over all cells, each with its person and its column, does not depend on their order.
  std::atomic<std::uint64_t> sum = 0;
  ParallelFor(people.rows.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> person(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      person[i - begin] = Mix64{}(people.identities[i].high ^ Mix64{}(people.identities[i].low));
    std::uint64_t here = 0;
    const auto add = [&](const CodeColumn& column, auto value_of) {
      column.Visit([&](auto codes) {
        for (std::size_t i = begin; i < end; ++i) here += Mix64{}(person[i - begin] ^ value_of(codes[people.rows[i]]));
      });
    };
    for (std::size_t c = 0; c < quasi_identifiers.size(); ++c) {
      const std::uint64_t name = Mix64{}(HashOf(quasi_identifiers[c]));
      add(input.table.quasi_identifiers[c], [name](Code code) { return name + code; });
    }
    for (std::size_t c = 0; c < input.values.size(); ++c)
      add(input.values[c].codes, [&of_code = hashes_of_values[c]](Code code) { return of_code[code]; });
    sum += here;
  });
  return fmt::format("{:016x}", Mix64{}(sum ^ people.rows.size()));
}

}  // namespace pentimento
