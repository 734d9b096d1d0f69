#include "engine/global/input_rows.h"

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/mix64.h"
#include "base/parallel.h"
#include "files/table_file.h"

namespace pentimento {
namespace {

constexpr std::size_t kHashedPeopleGrain = std::size_t{1} << 14;
constexpr std::size_t kCodeGrain = std::size_t{1} << 14;

std::uint64_t HashOf(const std::string& text) { return Checksum(std::as_bytes(std::span(text))); }

// Codes are this table's own, of numbers in a wide domain as well: another table has them for other values. Texts are
// the same in every format, and whatever domain or taxonomy the policy declares.
template <typename TextOf>
std::vector<std::uint64_t> HashesByCode(const std::string& column, std::size_t codes, std::optional<Code> missing,
                                        const TextOf& text_of) {
  const std::uint64_t name = Mix64{}(HashOf(column));
  std::vector<std::uint64_t> of_code(codes);
  ParallelFor(codes, kCodeGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t code = begin; code < end; ++code)
      of_code[code] = Mix64{}(code == missing ? name : HashOf(text_of(static_cast<Code>(code))) ^ name);
  });
  return of_code;
}

}  // namespace

void PublishOnly(EncodedInput& input, std::span<const std::uint32_t> rows) {
  if (rows.size() == input.table.rows) return;
  std::vector<bool> is_left_out(input.table.rows, true);
  input.form_of_row.assign(input.table.rows, RowForm::kSkipped);
  input.verified_row.assign(input.table.rows, 0);
  for (std::uint32_t number = 0; number < rows.size(); ++number) {
    is_left_out[rows[number]] = false;
    input.form_of_row[rows[number]] = RowForm::kWhole;
    input.verified_row[rows[number]] = number;
  }
  for (ValueColumn& column : input.values) EmptyCells(column, is_left_out);
}

std::string InputHash(const EncodedInput& input, std::span<const std::string> quasi_identifiers,
                      const PeopleOfRows& people) {
  Check(quasi_identifiers.size() == input.table.quasi_identifiers.size(), "every quasi-identifier has a name");
  std::vector<const CodeColumn*> columns;
  std::vector<std::vector<std::uint64_t>> hashes;  // parallel, by code
  for (std::size_t c = 0; c < quasi_identifiers.size(); ++c) {
    const Domain& domain = input.domains[c];
    columns.push_back(&input.table.quasi_identifiers[c]);
    hashes.push_back(HashesByCode(quasi_identifiers[c], domain.size(), domain.missing_code(), [&](Code code) {
      return domain.Label({code, code});
    }));
  }
  for (const ValueColumn& column : input.values) {
    const std::vector<std::string> texts = CsvTexts(column);
    columns.push_back(&column.codes);
    hashes.push_back(HashesByCode(column.name, texts.size(), column.null_code,
                                  [&](Code code) -> const std::string& { return texts[code]; }));
  }
  // A sum over all cells, each with its person and its column, does not depend on their order.
  std::atomic<std::uint64_t> sum = 0;
  ParallelFor(people.rows.size(), kHashedPeopleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> person(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      person[i - begin] = Mix64{}(people.identities[i].high ^ Mix64{}(people.identities[i].low));
    std::uint64_t here = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c]->Visit([&, &of_code = hashes[c]](auto codes) {
        for (std::size_t i = begin; i < end; ++i) here += Mix64{}(person[i - begin] ^ of_code[codes[people.rows[i]]]);
      });
    }
    sum += here;
  });
  return fmt::format("{:016x}", Mix64{}(sum ^ people.rows.size()));
}

}  // namespace pentimento
