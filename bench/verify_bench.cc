// How long verify takes on synthetic rows: verify_bench [rows] [rows per group]. The yardstick, a plain pass over the
// same codes and groups in the same run, says what merely reading them costs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "guarantee/form/one_table_form.h"
#include "guarantee/k_anonymity/k_anonymity.h"
#include "guarantee/verify.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

constexpr std::array<Code, 8> kDomainSizes = {120, 1000, 16, 7, 14, 2, 100, 42};

// Three levels over n leaves: pairs of leaves, tens of pairs, the root.
std::shared_ptr<const Taxonomy> MakeTaxonomy(Code leaves) {
  std::string text;
  for (Code leaf = 0; leaf < leaves; ++leaf) text += fmt::format("v{};p{};t{};*\n", leaf, leaf / 2, leaf / 20);
  return std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "bench").value());
}

std::vector<Domain> MakeDomains() {
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < kDomainSizes.size(); ++c) {
    if (c < 2) {
      domains.emplace_back(NumericRange{0, kDomainSizes[c] - 1, 0, {}}, false);
    } else {
      domains.emplace_back(MakeTaxonomy(kDomainSizes[c]), true);
    }
  }
  return domains;
}

struct Workload {
  std::vector<Domain> domains = MakeDomains();
  EncodedTable table;
  Classes draft;
};

// Groups lie scattered over the rows, as they do after any partition of an unsorted table.
Workload MakeWorkload(std::size_t rows, std::size_t rows_per_group, std::uint32_t persons) {
  Workload work;
  Random random(SeedFromNumber(1), "verify bench");
  const auto groups = static_cast<std::uint32_t>(std::max<std::size_t>(1, rows / rows_per_group));
  work.table.rows = rows;
  work.draft.columns = work.domains.size();
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (const Domain& domain : work.domains) {
      const Code code = random.Below(domain.value_count());
      const Code end = std::min(domain.value_count() - 1, code + random.Below(3));
      work.draft.boxes.push_back(domain.Cover({code, end}, CategoryForm::kTaxonomy));
    }
  }
  for (const Domain& domain : work.domains) work.table.quasi_identifiers.emplace_back(domain.size(), rows);
  if (persons > 0) work.table.persons = Persons{std::vector<std::uint32_t>(rows), persons};
  for (std::size_t row = 0; row < rows; ++row) {
    // The first rows fill every group twice, so that the release is 2-anonymous.
    const ClassNumber group =
        row < 2 * std::size_t{groups} ? static_cast<ClassNumber>(row % groups) : random.Below(groups);
    work.draft.of_row.push_back(group);
    for (std::size_t c = 0; c < work.domains.size(); ++c) {
      const Interval interval = work.draft.box(group)[c];
      work.table.quasi_identifiers[c].Set(row, interval.lo + random.Below(static_cast<std::uint32_t>(interval.size())));
    }
    if (persons > 0)
      work.table.persons->person_of_row[row] = row < persons ? static_cast<std::uint32_t>(row) : random.Below(persons);
  }
  return work;
}

double BestOfFive(const std::function<void()>& body) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

std::uint64_t ReadEverything(const Workload& work) {
  std::uint64_t sum = 0;
  for (const ClassNumber group : work.draft.of_row) sum += group;
  for (const CodeColumn& column : work.table.quasi_identifiers) {
    column.Visit([&](auto codes) {
      for (const auto code : codes) sum += code;
    });
  }
  return sum;
}

void Run(std::string_view name, const Workload& work) {
  const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{2}};
  const Evidence claim{work.table, work.domains, CategoryForm::kTaxonomy, guarantees};
  volatile std::uint64_t sink = 0;
  const double yardstick = BestOfFive([&] { sink = ReadEverything(work); });
  const double formed =
      BestOfFive([&] { sink = FindMalformation(work.table, work.domains, claim.form, work.draft).has_value(); });
  const double truthful = BestOfFive([&] { sink = FindFalseCell(work.table, work.draft).has_value(); });
  const double anonymous = BestOfFive([&] { sink = FindKAnonymityViolation(work.table, work.draft, 2).has_value(); });
  const double metrics = BestOfFive([&] { sink = Measure(work.draft, work.domains, 2).classes; });
  bool accepted = false;
  double verify = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    Classes draft = work.draft;
    const auto begin = std::chrono::steady_clock::now();
    const auto result = Verify({std::move(draft)}, claim);
    verify = std::min(verify, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    accepted = std::holds_alternative<VerifiedRelease>(result);
  }
  fmt::print(
      "{:<22} verify {:.3f} s = {:.1f} x reading the codes ({:.3f} s); well-formed {:.3f}, truthful {:.3f}, "
      "k-anonymity {:.3f}; "
      "metrics {:.3f} s; {}\n",
      name, verify, verify / yardstick, yardstick, formed, truthful, anonymous, metrics,
      accepted ? "accepted" : "refused");
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::size_t rows_per_group = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 15;
  fmt::print("{} rows, 8 quasi-identifiers, {} rows per group\n", rows, rows_per_group);
  pentimento::Run("rows", pentimento::MakeWorkload(rows, rows_per_group, 0));
  pentimento::Run("one row per person",
                  pentimento::MakeWorkload(rows, rows_per_group, static_cast<std::uint32_t>(rows)));
  pentimento::Run("four rows per person",
                  pentimento::MakeWorkload(rows, rows_per_group, static_cast<std::uint32_t>(rows / 4)));
}
