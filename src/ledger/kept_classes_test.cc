#include "ledger/kept_classes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "ledger/ledger_testing.h"

namespace pentimento::kept_classes_test {
namespace {

// Six people in three classes; the second class has a row of a stranger. Two sensitive columns, one of them with a name
// that is no UTF-8.
struct Kept {
  std::vector<IdentityHash> people = {{1, 2}, {1, 3}, {7, 0}, {8, 8}, {9, 0}, {9, 1}};
  std::vector<ClassNumber> class_of = {0, 1, 0, 2, 1, 2};
  std::vector<std::uint32_t> rows = {2, 3, 2};
  std::vector<IdentityHash> diseases = {{5, 5}, {4, 4}};
  std::vector<std::uint32_t> disease_begin = {0, 2, 3, 5}, disease = {0, 1, 1, 0, 1}, disease_count = {1, 1, 3, 1, 1};
  std::vector<IdentityHash> wards = {{6, 6}};
  std::vector<std::uint32_t> ward_begin = {0, 1, 2, 3}, ward = {0, 0, 0}, ward_count = {2, 3, 2};

  KeptClassesView view() const {
    return {
        people,
        class_of,
        rows,
        {{"disease", diseases, disease_begin, disease, disease_count}, {"w\xff", wards, ward_begin, ward, ward_count}}};
  }
};

void ExpectEqual(const KeptClassesView& read, const KeptClassesView& written) {
  EXPECT_TRUE(std::ranges::equal(read.people, written.people));
  EXPECT_TRUE(std::ranges::equal(read.class_of, written.class_of));
  EXPECT_TRUE(std::ranges::equal(read.rows, written.rows));
  ASSERT_EQ(read.columns.size(), written.columns.size());
  for (std::size_t i = 0; i < read.columns.size(); ++i) {
    EXPECT_EQ(read.columns[i].name, written.columns[i].name);
    EXPECT_TRUE(std::ranges::equal(read.columns[i].dictionary, written.columns[i].dictionary));
    EXPECT_TRUE(std::ranges::equal(read.columns[i].begin, written.columns[i].begin));
    EXPECT_TRUE(std::ranges::equal(read.columns[i].value, written.columns[i].value));
    EXPECT_TRUE(std::ranges::equal(read.columns[i].count, written.columns[i].count));
  }
}

class KeptClassesTest : public ::testing::Test {
 protected:
  static constexpr const char* kName = "r1.classes";
  static constexpr std::size_t kHeaderBytes = 64;

  std::filesystem::path Path() const { return folder_.path() / kName; }

  Status Write(const KeptClassesView& view) const {
    std::filesystem::remove(Path());
    PENTIMENTO_ASSIGN([[maybe_unused]] const StateFileRecord file, WriteKeptClasses(folder_.path(), kName, view));
    return {};
  }
  Result<KeptClasses> Read() const {
    PENTIMENTO_ASSIGN(MappedStateFile file, MappedStateFile::Map(Path(), StateKind::kClasses, StateCheck::kPayload));
    return KeptClasses::Open(std::move(file), kName);
  }

  // A change by somebody who knows how to redo the checksums.
  void Forge(std::string file) const {
    const auto put = [&](std::size_t at, std::uint64_t number) {
      std::memcpy(file.data() + at, &number, sizeof number);
    };
    const auto checksum = [](std::string_view bytes) { return Checksum(std::as_bytes(std::span(bytes))); };
    put(24, file.size() - kHeaderBytes);
    put(32, file.size() - kHeaderBytes);
    put(40, checksum(std::string_view(file).substr(kHeaderBytes)));
    put(56, checksum(std::string_view(file).substr(0, 56)));
    WriteText(Path(), file);
  }

  const TemporaryFolder folder_;
};

TEST_F(KeptClassesTest, WhatWasWrittenIsReadAgain) {
  const Kept kept;
  ASSERT_TRUE(Write(kept.view()).ok());
  const Result<KeptClasses> read = Read();
  ASSERT_TRUE(read.ok()) << read.error().message;
  ExpectEqual(read->view(), kept.view());
}

TEST_F(KeptClassesTest, IdentitiesInAnotherFileTakeNoRoomHere) {
  Kept kept;
  ASSERT_TRUE(Write(kept.view()).ok());
  const std::uintmax_t with = std::filesystem::file_size(Path());
  const std::size_t people = kept.people.size();
  kept.people.clear();
  ASSERT_TRUE(Write(kept.view()).ok());
  EXPECT_EQ(std::filesystem::file_size(Path()), with - 16 * people);
  const Result<KeptClasses> read = Read();
  ASSERT_TRUE(read.ok()) << read.error().message;
  ExpectEqual(read->view(), kept.view());
}

TEST_F(KeptClassesTest, FourBytesForAPersonAndForEachNumberOfAClass) {
  Kept kept;
  kept.people.clear();
  KeptClassesView view = kept.view();
  view.columns.clear();
  ASSERT_TRUE(Write(view).ok());
  EXPECT_EQ(std::filesystem::file_size(Path()), kHeaderBytes + 32 + 4 * (6 + 3) + std::string("[]").size());
}

TEST_F(KeptClassesTest, AReleaseOfNobodyIsReadAgain) {
  const Kept nobody{{}, {}, {}, {}, {0}, {}, {}, {}, {0}, {}, {}};
  ASSERT_TRUE(Write(nobody.view()).ok());
  const Result<KeptClasses> read = Read();
  ASSERT_TRUE(read.ok()) << read.error().message;
  ExpectEqual(read->view(), nobody.view());
}

TEST_F(KeptClassesTest, EveryChangedByteIsFound) {
  ASSERT_TRUE(Write(Kept().view()).ok());
  const std::string whole = ReadAll(Path());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteText(Path(), damaged);
    const Result<KeptClasses> read = Read();
    ASSERT_FALSE(read.ok()) << "byte " << at;
    EXPECT_EQ(read.error().code, at >= 8 && at < 12 ? ErrorCode::kStorage : ErrorCode::kCorruptLedger) << at;
  }
}

// With checksums that fit: whatever is believed keeps what the readers rely on, and nothing outside is read.
TEST_F(KeptClassesTest, EveryForgedByteIsFoundOrHarmless) {
  ASSERT_TRUE(Write(Kept().view()).ok());
  const std::string whole = ReadAll(Path());
  std::size_t found = 0;
  for (std::size_t at = kHeaderBytes; at < whole.size(); ++at) {
    for (const char bit : {'\x01', '\x80'}) {
      std::string forged = whole;
      forged[at] = static_cast<char>(forged[at] ^ bit);
      Forge(forged);
      const Result<KeptClasses> read = Read();
      if (!read.ok()) {
        ++found;
        continue;
      }
      const KeptClassesView& view = read->view();
      for (const ClassNumber number : view.class_of) ASSERT_LT(number, view.rows.size()) << at;
      for (const ClassValuesView& column : view.columns) {
        ASSERT_EQ(column.begin.size(), view.rows.size() + 1) << at;
        ASSERT_EQ(column.begin.back(), column.count.size()) << at;
        for (std::size_t c = 0; c < view.rows.size(); ++c) {
          std::uint64_t rows = 0;
          for (std::uint32_t i = column.begin[c]; i < column.begin[c + 1]; ++i) rows += column.count[i];
          ASSERT_EQ(rows, view.rows[c]) << at;
        }
      }
    }
  }
  EXPECT_GT(found, whole.size() / 2);
}

TEST_F(KeptClassesTest, EveryTruncationIsAnError) {
  ASSERT_TRUE(Write(Kept().view()).ok());
  const std::string whole = ReadAll(Path());
  for (std::size_t size = kHeaderBytes; size < whole.size(); ++size) {
    Forge(whole.substr(0, size));
    const Result<KeptClasses> read = Read();
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruptLedger) << size;
  }
}

TEST_F(KeptClassesTest, NumbersThatDoNotFitAreFound) {
  const std::vector<std::pair<const char*, std::function<void(Kept&)>>> wrong = {
      {"people out of order", [](Kept& kept) { std::swap(kept.people[0], kept.people[1]); }},
      {"a person twice", [](Kept& kept) { kept.people[1] = kept.people[0]; }},
      {"a class that is not there", [](Kept& kept) { kept.class_of[3] = 3; }},
      {"more people than rows", [](Kept& kept) { kept.class_of = {0, 0, 0, 2, 1, 2}; }},
      {"a value that is not there", [](Kept& kept) { kept.disease[4] = 2; }},
      {"values out of order", [](Kept& kept) { std::swap(kept.disease[0], kept.disease[1]); }},
      {"a value twice", [](Kept& kept) { kept.disease[1] = 0; }},
      {"a count of 0",
       [](Kept& kept) {
         kept.disease_count = {2, 0, 3, 1, 1};
       }},
      {"counts that are not the rows", [](Kept& kept) { ++kept.ward_count[1]; }},
      {"entries of one class in another",
       [](Kept& kept) {
         kept.disease_begin = {0, 1, 3, 5};
       }},
      {"entries of no class",
       [](Kept& kept) {
         kept.disease_begin = {1, 2, 3, 5};
       }},
      {"entries after the last class",
       [](Kept& kept) {
         kept.disease_begin = {0, 2, 3, 4};
       }},
      {"entries that go back",
       [](Kept& kept) {
         kept.disease_begin = {0, 3, 2, 5};
       }},
      {"the same value under two numbers", [](Kept& kept) { kept.diseases[1] = kept.diseases[0]; }},
  };
  for (const auto& [what, change] : wrong) {
    Kept kept;
    change(kept);
    ASSERT_TRUE(Write(kept.view()).ok()) << what;
    const Result<KeptClasses> read = Read();
    ASSERT_FALSE(read.ok()) << what;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruptLedger) << what;
  }
}

TEST_F(KeptClassesTest, ANewerVersionIsNoDamage) {
  ASSERT_TRUE(Write(Kept().view()).ok());
  std::string newer = ReadAll(Path());
  newer[kHeaderBytes] = 2;
  Forge(newer);
  const Result<KeptClasses> read = Read();
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kStorage);
}

}  // namespace
}  // namespace pentimento::kept_classes_test
