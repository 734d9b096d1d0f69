#include "engine/serial/input_hash.h"

#include <fmt/core.h>

#include <atomic>
#include <vector>

#include "base/hash.h"
#include "base/mix64.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kPeopleGrain = std::size_t{1} << 14;

// Codes of values are this table's own: another table has them for other values.
std::vector<std::uint64_t> HashesOfValues(const ValueColumn& column) {
  std::vector<std::uint64_t> of_code;
  for (const std::string& value : column.values) of_code.push_back(Checksum(std::as_bytes(std::span(value))));
  if (column.null_code) of_code[*column.null_code] = Mix64{}(of_code[*column.null_code]);
  return of_code;
}

}  // namespace

std::string InputHash(const EncodedInput& input, const PeopleOfRows& people) {
  std::vector<std::vector<std::uint64_t>> hashes_of_values;
  for (const ValueColumn& column : input.values) hashes_of_values.push_back(HashesOfValues(column));
  // A sum does not depend on the order of the people.
  std::atomic<std::uint64_t> sum = 0;
  ParallelFor(people.rows.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> hash(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      hash[i - begin] = Mix64{}(people.identities[i].high ^ Mix64{}(people.identities[i].low));
    const auto mix_in = [&](const CodeColumn& column, auto value_of) {
      column.Visit([&](auto codes) {
        for (std::size_t i = begin; i < end; ++i)
          hash[i - begin] = Mix64{}(hash[i - begin] ^ value_of(codes[people.rows[i]]));
      });
    };
    for (const CodeColumn& column : input.table.quasi_identifiers)
      mix_in(column, [](Code code) { return std::uint64_t{code}; });
    for (std::size_t c = 0; c < input.values.size(); ++c)
      mix_in(input.values[c].codes, [&of_code = hashes_of_values[c]](Code code) { return of_code[code]; });
    std::uint64_t here = 0;
    for (const std::uint64_t one : hash) here += one;
    sum += here;
  });
  return fmt::format("{:016x}", Mix64{}(sum ^ people.rows.size()));
}

}  // namespace pentimento
