#include "files/zip_archive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fmt/core.h"

namespace pentimento::zip_archive_test {
namespace {

std::string Number(std::uint32_t number, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

constexpr std::uint32_t kChecksumOfHello = 0x3610A686;

struct Archive {
  std::string name = "a.txt", content = "hello";
  std::uint32_t method = 0, flags = 0, checksum = kChecksumOfHello, size = 5, packed = 5;

  std::string Bytes() const {
    const std::string local = "PK\x03\x04" + Number(20, 2) + Number(flags, 2) + Number(method, 2) + Number(0, 4) +
                              Number(checksum, 4) + Number(packed, 4) + Number(size, 4) +
                              Number(static_cast<std::uint32_t>(name.size()), 2) + Number(0, 2) + name + content;
    const std::string entry = "PK\x01\x02" + Number(20, 2) + Number(20, 2) + Number(flags, 2) + Number(method, 2) +
                              Number(0, 4) + Number(checksum, 4) + Number(packed, 4) + Number(size, 4) +
                              Number(static_cast<std::uint32_t>(name.size()), 2) + Number(0, 2) + Number(0, 2) +
                              Number(0, 2) + Number(0, 2) + Number(0, 4) + Number(0, 4) + name;
    return local + entry + "PK\x05\x06" + Number(0, 4) + Number(1, 2) + Number(1, 2) +
           Number(static_cast<std::uint32_t>(entry.size()), 4) + Number(static_cast<std::uint32_t>(local.size()), 4) +
           Number(0, 2);
  }
};

class ZipArchiveTest : public testing::Test {
 protected:
  ZipArchiveTest() : folder_(std::filesystem::path(testing::TempDir()) / "zip_archive_test") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ZipArchiveTest() override { std::filesystem::remove_all(folder_); }

  Result<std::string> Read(const std::string& bytes, std::uint64_t most = 100) {
    const std::filesystem::path file = folder_ / "archive.zip";
    std::ofstream(file, std::ios::binary) << bytes;
    PENTIMENTO_ASSIGN(const ZipArchive archive, ZipArchive::Open(file));
    return archive.Read("a.txt", most);
  }

  std::filesystem::path folder_;
};

TEST_F(ZipArchiveTest, AnEntryIsReadPackedOrNot) {
  EXPECT_EQ(*Read(Archive().Bytes()), "hello");
  const std::string packed("\xCB\x48\xCD\xC9\xC9\x07\x00", 7);  // by deflate
  EXPECT_EQ(*Read(Archive{.content = packed, .method = 8, .packed = 7}.Bytes()), "hello");
}

TEST_F(ZipArchiveTest, WhatAnArchiveSaysOfItselfIsHeldAgainstWhatItHolds) {
  EXPECT_FALSE(Read(Archive{.content = "hallo"}.Bytes()).ok());
  EXPECT_FALSE(Read(Archive{.size = 4}.Bytes()).ok());
  EXPECT_FALSE(Read(Archive{.size = 6}.Bytes()).ok());
  EXPECT_FALSE(Read(Archive{.method = 8}.Bytes()).ok());
  EXPECT_FALSE(Read(Archive{.packed = 5000}.Bytes()).ok());
  EXPECT_FALSE(Read(Archive{.name = "b.txt"}.Bytes()).ok());
}

TEST_F(ZipArchiveTest, MoreThanWasAskedForIsNotRead) {
  EXPECT_TRUE(Read(Archive().Bytes(), 5).ok());
  EXPECT_FALSE(Read(Archive().Bytes(), 4).ok());
  EXPECT_FALSE(Read(Archive{.method = 8, .size = 2'000'000'000}.Bytes(), 4'000'000'000).ok());
}

TEST_F(ZipArchiveTest, WhatIsEncryptedOrPackedOtherwiseIsRefused) {
  EXPECT_NE(Read(Archive{.flags = 1}.Bytes()).error().message.find("encrypted"), std::string::npos);
  EXPECT_NE(Read(Archive{.method = 12}.Bytes()).error().message.find("method"), std::string::npos);
}

TEST_F(ZipArchiveTest, AnArchiveThatIsCutAnywhereIsRefused) {
  const std::string whole = Archive().Bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = Read(whole.substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
  }
}

TEST_F(ZipArchiveTest, AnEntryBecomesANewPrivateFile) {
  const std::filesystem::path file = folder_ / "archive.zip", target = folder_ / "out";
  std::ofstream(file, std::ios::binary) << Archive().Bytes();
  const auto archive = ZipArchive::Open(file);
  ASSERT_TRUE(archive.ok());
  ASSERT_TRUE(archive->Extract("a.txt", 100, target).ok());
  std::ostringstream text;
  text << std::ifstream(target).rdbuf();
  EXPECT_EQ(text.str(), "hello");
  EXPECT_EQ(std::filesystem::status(target).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(archive->Extract("a.txt", 100, target).error().code, ErrorCode::kStorage);
  EXPECT_FALSE(ZipArchive::Open(folder_).ok());
  EXPECT_FALSE(ZipArchive::Open(folder_ / "nowhere").ok());
}

}  // namespace
}  // namespace pentimento::zip_archive_test
