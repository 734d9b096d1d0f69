#include "ledger/state_file.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "ledger/ledger_testing.h"

namespace pentimento::state_file_test {
namespace {

class StateFileTest : public ::testing::Test {
 protected:
  std::filesystem::path Path() const { return folder_.path() / "numbers"; }

  Result<StateFileRecord> Write(std::span<const std::uint32_t> numbers, std::size_t piece,
                                WriteWay way = WriteWay::kThroughCache) const {
    PENTIMENTO_ASSIGN(auto writer, StateFileWriter::Create(folder_.path(), "numbers", StateKind::kCodes, 4, way));
    for (std::size_t at = 0; at < numbers.size(); at += piece) {
      PENTIMENTO_RETURN_IF_ERROR(writer.Append(numbers.subspan(at, std::min(piece, numbers.size() - at))));
    }
    return writer.Finish();
  }

  ErrorCode MapError() const {
    const auto mapped = MappedStateFile::Map(Path(), StateKind::kCodes, StateCheck::kPayload);
    EXPECT_FALSE(mapped.ok());
    return mapped.ok() ? ErrorCode::kInternal : mapped.error().code;
  }

  // A header field changed by somebody who knows how to redo its checksum.
  void ForgeHeader(std::size_t offset, std::uint32_t value) const {
    std::string bytes = ReadAll(Path());
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    const std::uint64_t checksum = Checksum(std::as_bytes(std::span(bytes)).first(56));
    std::memcpy(bytes.data() + 56, &checksum, sizeof checksum);
    WriteText(Path(), bytes);
  }

  const TemporaryFolder folder_;
};

std::vector<std::uint32_t> Numbers(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = i * 2654435761u;
  return numbers;
}

TEST_F(StateFileTest, WhatIsWrittenInPiecesIsReadAsOneArray) {
  struct Case {
    std::size_t piece;
    WriteWay way;
  };
  // 262,128 numbers fill the first buffer to its last byte.
  for (const std::uint32_t count : {0u, 1u, 1000u, 262'127u, 262'128u, 262'129u, 700'000u}) {
    std::uint64_t checksum = 0;
    for (const auto& [piece, way] : {Case{7, WriteWay::kThroughCache}, Case{4096, WriteWay::kPastCache},
                                     Case{1'000'000, WriteWay::kThroughCache}, Case{1'000'000, WriteWay::kPastCache}}) {
      std::filesystem::remove(Path());
      const auto numbers = Numbers(count);
      const auto record = Write(numbers, piece, way);
      ASSERT_TRUE(record.ok()) << record.error().message;
      EXPECT_EQ(record->bytes, 64 + std::uint64_t{4} * count);
      const auto mapped = MappedStateFile::Map(Path(), StateKind::kCodes, StateCheck::kPayload);
      ASSERT_TRUE(mapped.ok());
      EXPECT_EQ(mapped->checksum(), record->checksum);
      const auto elements = mapped->Elements<std::uint32_t>();
      ASSERT_TRUE(elements.ok());
      EXPECT_TRUE(std::equal(elements->begin(), elements->end(), numbers.begin(), numbers.end()));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(elements->data()) % 64, 0u);
      EXPECT_TRUE(piece == 7 || record->checksum == checksum) << "the pieces do not show";
      checksum = record->checksum;
    }
  }
}

TEST_F(StateFileTest, TheHeaderIsAsDocumented) {
  ASSERT_TRUE(Write(Numbers(3), 3).ok());
  const std::string bytes = ReadAll(Path());
  ASSERT_EQ(bytes.size(), 76u);
  EXPECT_EQ(bytes.substr(0, 8), "PENTSTAT");
  EXPECT_EQ(bytes.substr(8, 8), std::string("\1\0\0\0\4\0\0\0", 8));
  EXPECT_EQ(bytes.substr(16, 24), std::string("\4\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\x0c\0\0\0\0\0\0\0", 24));
}

TEST_F(StateFileTest, EveryChangedByteIsFound) {
  ASSERT_TRUE(Write(Numbers(20), 20).ok());
  const std::string whole = ReadAll(Path());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteText(Path(), damaged);
    const bool version = at >= 8 && at < 12;
    EXPECT_EQ(MapError(), version ? ErrorCode::kStorage : ErrorCode::kCorruptLedger) << "byte " << at;
  }
}

TEST_F(StateFileTest, EveryTruncationIsAnErrorAndNeverASignal) {
  ASSERT_TRUE(Write(Numbers(2000), 2000).ok());
  for (std::uintmax_t size = std::filesystem::file_size(Path()); size-- > 0;) {
    if (size > 100 && size % 97 != 0 && size % 4096 > 1) continue;
    std::filesystem::resize_file(Path(), size);
    for (const StateCheck check : {StateCheck::kHeader, StateCheck::kPayload}) {
      EXPECT_EQ(MappedStateFile::Map(Path(), StateKind::kCodes, check).error().code, ErrorCode::kCorruptLedger) << size;
    }
  }
}

TEST_F(StateFileTest, ALongerFileIsAnError) {
  ASSERT_TRUE(Write(Numbers(20), 20).ok());
  std::filesystem::resize_file(Path(), std::filesystem::file_size(Path()) + 4);
  EXPECT_EQ(MapError(), ErrorCode::kCorruptLedger);
}

TEST_F(StateFileTest, HeadersThatLieAboutSizesAreErrors) {
  for (const auto& [offset, value] : {std::pair<std::size_t, std::uint32_t>{12, 1},
                                      {16, 0},
                                      {16, 8},
                                      {16, 3},
                                      {24, 21},
                                      {28, 1},
                                      {32, 84},
                                      {36, 0xffffffff}}) {
    std::filesystem::remove(Path());
    ASSERT_TRUE(Write(Numbers(20), 20).ok());
    ForgeHeader(offset, value);
    EXPECT_EQ(MapError(), ErrorCode::kCorruptLedger) << "offset " << offset;
  }
}

TEST_F(StateFileTest, ANewerVersionIsNotCalledDamaged) {
  ASSERT_TRUE(Write(Numbers(20), 20).ok());
  ForgeHeader(8, 2);
  const auto mapped = MappedStateFile::Map(Path(), StateKind::kCodes, StateCheck::kHeader);
  EXPECT_EQ(mapped.error().code, ErrorCode::kStorage);
  EXPECT_NE(mapped.error().message.find("version 2"), std::string::npos);
}

TEST_F(StateFileTest, AnotherKindOrElementSizeIsAnError) {
  ASSERT_TRUE(Write(Numbers(20), 20).ok());
  EXPECT_EQ(MappedStateFile::Map(Path(), StateKind::kTree, StateCheck::kHeader).error().code,
            ErrorCode::kCorruptLedger);
  const auto mapped = MappedStateFile::Map(Path(), StateKind::kCodes, StateCheck::kHeader);
  EXPECT_EQ(mapped->Elements<std::uint64_t>().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(StateFileTest, AMissingFileIsDamageToTheLedger) { EXPECT_EQ(MapError(), ErrorCode::kCorruptLedger); }

TEST_F(StateFileTest, AFileIsNeverWrittenOver) {
  ASSERT_TRUE(Write(Numbers(20), 20).ok());
  EXPECT_EQ(Write(Numbers(30), 30).error().code, ErrorCode::kStorage);
  EXPECT_EQ(std::filesystem::file_size(Path()), 64u + 80u);
}

TEST_F(StateFileTest, AWriterThatIsDroppedLeavesNothing) {
  {
    auto writer = StateFileWriter::Create(folder_.path(), "numbers", StateKind::kCodes, 4);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->Append<std::uint32_t>(Numbers(500'000)).ok());
    EXPECT_FALSE(std::filesystem::is_empty(folder_.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StateFileTest, AFullDiskIsAStorageErrorAndLeavesNothing) {
  for (const rlim_t limit : {rlim_t{10}, rlim_t{64}, rlim_t{1000}, rlim_t{2'000'000}})
    for (const WriteWay way : {WriteWay::kThroughCache, WriteWay::kPastCache}) {
      EXPECT_EQ(RunInChild([&] {
                  std::signal(SIGXFSZ, SIG_IGN);
                  const rlimit bytes{limit, limit};
                  setrlimit(RLIMIT_FSIZE, &bytes);
                  const auto written = Write(Numbers(700'000), 1000, way);
                  return written.ok() ? 0 : static_cast<int>(written.error().code) + 1;
                }),
                static_cast<int>(ErrorCode::kStorage) + 1);
      EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << limit;
    }
}

// Addresses and sizes that are no multiples of a page are refused by the system.
TEST_F(StateFileTest, WhatCannotBeWrittenPastTheCacheIsWrittenThroughIt) {
  const auto numbers = Numbers(10'000);
  const auto file = CreatePrivateFile(Path(), WriteWay::kPastCache);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto bytes = std::as_bytes(std::span(numbers)).subspan(1);
  ASSERT_TRUE(WriteAll(*file, bytes, Path()).ok());
  const std::string content = ReadAll(Path());
  ASSERT_EQ(content.size(), bytes.size());
  EXPECT_EQ(std::memcmp(content.data(), bytes.data(), bytes.size()), 0);
}

TEST(StateFileName, CannotLeaveItsFolder) {
  for (const char* good : {"a", "first.people", "A-1_b.2"}) EXPECT_TRUE(IsStateFileName(good)) << good;
  for (const char* bad : {"", ".", "..", ".hidden", "a/b", "../a", "a b", "a.partial", "ä"}) {
    EXPECT_FALSE(IsStateFileName(bad)) << bad;
  }
  EXPECT_FALSE(IsStateFileName(std::string(201, 'a')));
}

TEST(StateKindNames, AreReadBack) {
  for (const StateKind kind : {StateKind::kIdentities, StateKind::kTree, StateKind::kBudgets, StateKind::kCodes}) {
    EXPECT_EQ(ParseStateKind(ToString(kind)), kind);
  }
  EXPECT_FALSE(ParseStateKind("unknown"));
}

// Brute force from the definition.
std::uint64_t CommonByDefinition(const std::vector<IdentityHash>& a, const std::vector<IdentityHash>& b) {
  return static_cast<std::uint64_t>(std::count_if(
      a.begin(), a.end(), [&](const IdentityHash& x) { return std::find(b.begin(), b.end(), x) != b.end(); }));
}

TEST(Identities, CommonPeopleAreCountedAsTheDefinitionSays) {
  Random random(SeedFromNumber(1), "identities");
  const auto draw = [&](std::size_t count, std::uint32_t domain) {
    std::set<IdentityHash> people;
    // Few distinct high halves, so that the low halves decide as well.
    for (std::size_t i = 0; i < count; ++i) people.insert({random.Below(4), random.Below(domain)});
    return std::vector<IdentityHash>(people.begin(), people.end());
  };
  for (std::size_t round = 0; round < TestRounds(400); ++round) {
    const std::uint32_t domain = 1 + random.Below(300);
    const auto a = draw(random.Below(12), domain);
    const auto b = draw(random.Below(round % 2 == 0 ? 12 : 900), domain);
    EXPECT_EQ(CountCommon(a, b), CommonByDefinition(a, b));
    EXPECT_EQ(CountCommon(b, a), CommonByDefinition(a, b));
  }
}

TEST(Identities, AreFoundAtBothEndsOfALongRun) {
  const auto many = SomePeople(10'000);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{9998}, std::size_t{9999}}) {
    const std::vector<IdentityHash> one = {many[at]};
    EXPECT_EQ(CountCommon(one, many), 1u) << at;
  }
  EXPECT_EQ(CountCommon(many, many), many.size());
  EXPECT_EQ(CountCommon({}, many), 0u);
}

TEST(Identities, AreMappedAsTheyWereWritten) {
  const TemporaryFolder folder;
  const auto people = SomePeople(1000);
  ASSERT_TRUE(WriteIdentities(folder.path(), "people", people).ok());
  auto mapped = Identities::Map(folder.path() / "people", StateCheck::kPayload);
  ASSERT_TRUE(mapped.ok());
  const Identities moved = std::move(mapped).value();
  EXPECT_EQ(CountCommon(moved.people(), people), 1000u);
}

}  // namespace
}  // namespace pentimento::state_file_test
