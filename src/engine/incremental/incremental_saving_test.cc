#include "engine/incremental/incremental_saving.h"

#include <gtest/gtest.h>

#include "ledger/ledger_testing.h"

namespace pentimento::series_saving_test {
namespace {

// Two leaves of the root, cut in the only column: members 0 and 1, then 2 and 3.
std::shared_ptr<const SegmentData> TwoLeaves() {
  SegmentData segment;
  segment.splits = {{0, 0, 1, 2}};
  segment.nodes.resize(2);
  segment.nodes[1].start = 5;
  segment.leaves = {{1, 0, 2}, {2, 2, 2}};
  segment.members = {0, 1, 2, 3};
  segment.codes = UnfilledVector<std::uint32_t>{1, 2, 7, 8};
  segment.new_members = 4;
  return std::make_shared<const SegmentData>(std::move(segment));
}

class IncrementalSavingTest : public ::testing::Test {
 protected:
  void Begin(IncrementalSaving& saving) {
    saving.BeginIdentities(folder_.path(), "spring", people_);
    saving.BeginSegment(folder_.path(), "spring", TwoLeaves(), 1, members_);
  }
  bool is_empty() const { return std::filesystem::is_empty(folder_.path()); }
  std::filesystem::path segment() const { return folder_.path() / "spring.segment"; }
  Result<IncrementalSegment> Open() const {
    PENTIMENTO_ASSIGN(MappedStateFile file, MappedStateFile::Map(segment(), StateKind::kTree, StateCheck::kHeader));
    return IncrementalSegment::Open(std::move(file), 1, 0, "spring.segment");
  }

  const TemporaryFolder folder_;
  const std::vector<IdentityHash> people_ = SomePeople(4);
  const std::vector<CaseNumber> members_ = {3, 1, 0, 2};
};

TEST_F(IncrementalSavingTest, WhatIsSavedIsReadAgain) {
  IncrementalSaving saving;
  Begin(saving);
  saving.TellAbout("about it");
  const auto files = saving.Finish();
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->size(), 2U);
  const auto read = Open();
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->about(), "about it");
  EXPECT_TRUE(std::ranges::equal(read->identified(), members_));
  EXPECT_TRUE(read->IdentifiedAreIntact());
  EXPECT_TRUE(read->RecordsAreIntact(0));
  EXPECT_TRUE(read->RecordsAreIntact(1));
}

TEST_F(IncrementalSavingTest, ASegmentThatIsNeverToldWhatItEndsWithIsNotThere) {
  {
    IncrementalSaving saving;
    saving.BeginSegment(folder_.path(), "spring", TwoLeaves(), 1, {});
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(IncrementalSavingTest, AfterAbandonNothingIsWrittenAnyMore) {
  IncrementalSaving saving;
  Begin(saving);
  saving.Abandon();
  std::filesystem::remove(folder_.path() / "spring.identities");
  EXPECT_TRUE(is_empty());
}

TEST_F(IncrementalSavingTest, AFileThatCannotBeWrittenIsToldAndTheOtherIsWaitedFor) {
  WriteText(folder_.path() / "spring.identities", "somebody else's");
  IncrementalSaving saving;
  Begin(saving);
  saving.TellAbout("about it");
  const auto files = saving.Finish();
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().code, ErrorCode::kStorage);
  EXPECT_TRUE(std::filesystem::exists(segment()));
}

// Each bit of a record: its own leaf is damaged, and the other one is not.
TEST_F(IncrementalSavingTest, ADamagedRecordIsNoticedInItsLeafAlone) {
  IncrementalSaving saving;
  Begin(saving);
  saving.TellAbout("about it");
  ASSERT_TRUE(saving.Finish().ok());
  const std::string whole = ReadAll(segment());
  const std::string codes("\1\0\0\0\2\0\0\0\7\0\0\0\10\0\0\0", 16);
  const std::size_t begin = whole.find(codes);
  ASSERT_NE(begin, std::string::npos);
  for (std::size_t bit = 0; bit < codes.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[begin + bit / 8] = static_cast<char>(damaged[begin + bit / 8] ^ 1 << bit % 8);
    WriteText(segment(), damaged);
    const auto read = Open();
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->RecordsAreIntact(0), bit >= 64) << bit;
    EXPECT_EQ(read->RecordsAreIntact(1), bit < 64) << bit;
  }
}

}  // namespace
}  // namespace pentimento::series_saving_test
