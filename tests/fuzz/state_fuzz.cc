// State files of a ledger: the JSON that they carry, where the input begins with a brace, otherwise the file. Checksums
// are against accidents, not against what a fuzzer does; so a file is read as it is, and again with checksums that fit.
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "engine/global/account.h"
#include "engine/incremental/incremental_about.h"
#include "files/incremental_rows.h"
#include "fuzz/fuzz.h"
#include "ledger/budgets.h"
#include "ledger/identities.h"
#include "ledger/incremental_state.h"
#include "ledger/kept_classes.h"
#include "ledger/state_file.h"

using namespace pentimento;

namespace {

// docs/formats/state.md has these numbers.
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kSegmentOpening = 64;
constexpr std::size_t kSegmentDirectory = 160;
constexpr std::size_t kSteeringChecksum = 152;
constexpr std::array<std::size_t, 6> kSteeringSections = {0, 1, 2, 3, 4, 8};

std::uint64_t Number(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

void Put(std::string& bytes, std::size_t at, std::uint64_t number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

std::uint64_t ChecksumOf(std::string_view bytes) { return Checksum(std::as_bytes(std::span(bytes))); }

// What is within of a segment, which has a checksum of its own.
void SealSegment(std::string& file) {
  if (file.size() < kHeaderBytes + kSegmentOpening + kSegmentDirectory) return;
  const std::string_view payload = std::string_view(file).substr(kHeaderBytes);
  const std::size_t directory = payload.size() - kSegmentDirectory;
  Put(file, kHeaderBytes + directory + kSteeringChecksum, 0);
  std::vector<std::uint64_t> each = {ChecksumOf(payload.substr(0, kSegmentOpening)),
                                     ChecksumOf(payload.substr(directory))};
  for (const std::size_t section : kSteeringSections) {
    const std::uint64_t offset = Number(payload, directory + section * 16);
    const std::uint64_t bytes = Number(payload, directory + section * 16 + 8);
    if (offset > payload.size() || bytes > payload.size() - offset) return;
    each.push_back(ChecksumOf(payload.substr(offset, bytes)));
  }
  Put(file, kHeaderBytes + directory + kSteeringChecksum, Checksum(std::as_bytes(std::span(each))));
}

std::string Sealed(std::string_view bytes) {
  std::string file(bytes);
  if (file.size() < kHeaderBytes) return file;
  SealSegment(file);
  const std::uint64_t payload = file.size() - kHeaderBytes;
  const std::uint64_t element = std::max<std::uint64_t>(1, Number(file, 16) & UINT32_MAX);
  Put(file, 24, payload / element);
  Put(file, 32, payload);
  Put(file, 40, ChecksumOf(std::string_view(file).substr(kHeaderBytes)));
  Put(file, 56, ChecksumOf(std::string_view(file).substr(0, 56)));
  return file;
}

void ReadSegment(MappedStateFile file, NodeNumber nodes_before, CaseNumber members_before) {
  const Result<IncrementalSegment> segment =
      IncrementalSegment::Open(std::move(file), nodes_before, members_before, "q.segment");
  if (!fuzz::Took(segment)) return;
  (void)segment->IdentifiedAreIntact();
  for (std::size_t leaf = 0; leaf < segment->view().leaves.size(); ++leaf) (void)segment->RecordsAreIntact(leaf);
  (void)ParseIncrementalAbout(segment->about());
}

void ReadRows(const MappedStateFile& file) {
  const auto parquet = file.Elements<std::byte>();
  if (!fuzz::Took(parquet) || !fuzz::Took(CountIncrementalRows(*parquet, "q.rows"))) return;
  (void)fuzz::Took(OpenIncrementalRows(*parquet, *parquet, {"disease", "outcome", "note"}, {"disease"}, "q.rows"));
}

void ReadClasses(MappedStateFile file) {
  const Result<KeptClasses> classes = KeptClasses::Open(std::move(file), "q.classes");
  if (!fuzz::Took(classes)) return;
  const KeptClassesView& view = classes->view();
  for (const ClassNumber number : view.class_of) fuzz::Require(number < view.rows.size(), "everybody has a class");
  for (const ClassValuesView& column : view.columns) {
    std::uint64_t rows = 0;
    for (const std::uint32_t count : column.count) rows += count;
    for (const std::uint32_t of_class : view.rows) rows -= of_class;
    fuzz::Require(rows == 0, "every row has a value");
    for (const std::uint32_t value : column.value) fuzz::Require(value < column.dictionary.size(), "values are known");
  }
}

std::optional<MappedStateFile> Mapped(const std::filesystem::path& path, StateKind kind) {
  Result<MappedStateFile> file = MappedStateFile::Map(path, kind, StateCheck::kPayload);
  if (!fuzz::Took(file)) return std::nullopt;
  return std::move(file).value();
}

void ReadFile(const std::filesystem::path& path) {
  if (const auto people = Identities::Map(path, StateCheck::kPayload); fuzz::Took(people))
    fuzz::Require(CountCommon(people->people(), people->people()) == people->people().size(),
                  "who is in a run is found");
  for (const NodeNumber nodes_before : {1U, 5U})
    if (auto file = Mapped(path, StateKind::kTree))
      ReadSegment(*std::move(file), nodes_before, 24 * (nodes_before / 5));
  if (auto file = Mapped(path, StateKind::kRows)) ReadRows(*file);
  if (auto file = Mapped(path, StateKind::kBudgets)) {
    const Result<Budgets> budgets = Budgets::Open(*std::move(file), "q.budgets");
    if (fuzz::Took(budgets)) (void)ParseAccountAbout(budgets->view().about);
  }
  if (auto file = Mapped(path, StateKind::kClasses)) ReadClasses(*std::move(file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  if (bytes.starts_with('{')) {
    (void)ParseIncrementalAbout(bytes);
    (void)IsNewerAccountAbout(bytes);
    if (const auto about = ParseAccountAbout(bytes))
      fuzz::Require(ParseAccountAbout(AccountAboutText(*about)).has_value(),
                    "an account that is written is read again");
    return 0;
  }
  ReadFile(fuzz::WriteFile("state", bytes));
  ReadFile(fuzz::WriteFile("state", Sealed(bytes)));
  return 0;
}
