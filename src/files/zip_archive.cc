#include "files/zip_archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/progress.h"
#include "base/regular_file.h"
#include "files/inflater.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kEndSize = 22, kLongestComment = 65535, kHeaderSize = 30, kEntrySize = 46;
constexpr std::uint64_t kLargestDirectory = std::uint64_t{64} << 20;
constexpr std::uint64_t kBlockOfZip = std::uint64_t{1} << 18;
constexpr std::uint64_t kDensest = 1032;  // deflate makes at most so many bytes of one

// Whole numbers in archives have their lowest byte first.
std::uint32_t NumberAt(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < width; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

// The checksum of ZIP and gzip.
class Crc32 {
 public:
  void Update(std::string_view bytes) {
    static const std::array<std::uint32_t, 256> kTable = MakeTable();
    for (const char c : bytes) state_ = kTable[(state_ ^ static_cast<unsigned char>(c)) & 0xFF] ^ (state_ >> 8);
  }
  std::uint32_t Get() const { return ~state_; }

 private:
  static std::array<std::uint32_t, 256> MakeTable() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xEDB88320U ^ (value >> 1) : value >> 1;
      table[i] = value;
    }
    return table;
  }
  std::uint32_t state_ = 0xFFFFFFFFU;
};

int WriteWhole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Error ZipArchive::Broken(std::string_view why) const {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", name_, why)};
}

Result<ZipArchive> ZipArchive::Open(const std::filesystem::path& path) {
  ZipArchive archive;
  archive.name_ = path.string();
  const Result<RegularFile> regular = RegularFile::Open(path);  // and no pipe, which would make us wait
  if (!regular.ok()) return archive.Broken(regular.error().message);
  archive.size_ = regular->size();
  archive.file_ = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*archive.file_) return archive.Broken("cannot be opened for reading");
  PENTIMENTO_RETURN_IF_ERROR(archive.ReadDirectory());
  return archive;
}

Result<std::string> ZipArchive::ReadAt(std::uint64_t at, std::uint64_t size) const {
  if (at > size_ || size > size_ - at) return Broken("is a ZIP archive that is cut short; copy it anew");
  std::string bytes(size, '\0');
  file_->clear();
  file_->seekg(static_cast<std::streamoff>(at));
  if (!file_->read(bytes.data(), static_cast<std::streamsize>(size))) return Broken("cannot be read to its end");
  return bytes;
}

// The end of an archive tells where its directory is.
Status ZipArchive::ReadDirectory() {
  const std::uint64_t tail_size = std::min(size_, kEndSize + kLongestComment);
  PENTIMENTO_ASSIGN(const std::string tail, ReadAt(size_ - tail_size, tail_size));
  const std::size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || tail.size() - end < kEndSize)
    return Broken("is no ZIP archive, or one that is cut short; copy it anew");
  const std::uint32_t count = NumberAt(tail, end + 10, 2);
  const std::uint32_t size = NumberAt(tail, end + 12, 4), at = NumberAt(tail, end + 16, 4);
  if (NumberAt(tail, end + 4, 2) != 0 || NumberAt(tail, end + 6, 2) != 0)
    return Broken("is one of several parts of a ZIP archive; put them together");
  if (count == 0xFFFF || size == UINT32_MAX || at == UINT32_MAX)
    return Broken("is a ZIP archive of the form for more than 4 GiB (ZIP64), which is not read; unpack it");
  if (size > kLargestDirectory) return Broken("is a ZIP archive with too many files in it");
  PENTIMENTO_ASSIGN(const std::string directory, ReadAt(at, size));
  return ReadEntries(directory, count);
}

Status ZipArchive::ReadEntries(std::string_view directory, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (directory.size() < kEntrySize || !directory.starts_with("PK\x01\x02"))
      return Broken("is a ZIP archive whose directory is damaged; copy it anew");
    const std::size_t name = NumberAt(directory, 28, 2);
    const std::size_t all = kEntrySize + name + NumberAt(directory, 30, 2) + NumberAt(directory, 32, 2);
    if (directory.size() < all) return Broken("is a ZIP archive whose directory is damaged; copy it anew");
    Entry entry;
    entry.name = directory.substr(kEntrySize, name);
    entry.flags = static_cast<std::uint16_t>(NumberAt(directory, 8, 2));
    entry.method = static_cast<std::uint16_t>(NumberAt(directory, 10, 2));
    entry.checksum = NumberAt(directory, 16, 4);
    entry.packed = NumberAt(directory, 20, 4);
    entry.size = NumberAt(directory, 24, 4);
    entry.at = NumberAt(directory, 42, 4);
    entries_.push_back(std::move(entry));
    directory.remove_prefix(all);
  }
  return {};
}

const ZipArchive::Entry* ZipArchive::Find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Result<const ZipArchive::Entry*> ZipArchive::Require(std::string_view name, std::uint64_t most) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) return Broken(fmt::format("has no file '{}' in it", name));
  if ((entry->flags & 1) != 0) return Broken("is encrypted; unpack it with its password");
  if (entry->method != 0 && entry->method != 8)
    return Broken("is packed by a method that is not read; unpack it, and pack it again");
  if (entry->size == UINT32_MAX || entry->packed == UINT32_MAX)
    return Broken("is a ZIP archive of the form for more than 4 GiB (ZIP64), which is not read; unpack it");
  if (entry->size > most || entry->size > kDensest * entry->packed + kDensest)
    return Broken(fmt::format("says that '{}' in it is larger than it can be, or than {} bytes", name, most));
  return entry;
}

// What stands before an entry repeats its name.
Result<std::uint64_t> ZipArchive::BeginOf(const Entry& entry) const {
  PENTIMENTO_ASSIGN(const std::string header, ReadAt(entry.at, kHeaderSize));
  if (!header.starts_with("PK\x03\x04")) return Broken("is a ZIP archive that is damaged; copy it anew");
  const std::uint64_t begin = entry.at + kHeaderSize + NumberAt(header, 26, 2) + NumberAt(header, 28, 2);
  if (begin > size_ || entry.packed > size_ - begin) return Broken("is a ZIP archive that is cut short; copy it anew");
  return begin;
}

// Bytes of an entry, block by block.
class ZipArchive::Unpacking {
 public:
  Unpacking(const ZipArchive& archive, const Entry& entry, std::uint64_t begin)
      : archive_(archive), at_(begin), left_(entry.packed), is_packed_(entry.method == 8) {}

  Status Begin() {
    if (!is_packed_) return {};
    PENTIMENTO_ASSIGN(inflater_, MakeInflater());
    return {};
  }

  // Empty at the end.
  Result<std::string> Next() {
    if (!is_packed_) return TakePacked();
    std::string out(kBlockOfZip, '\0');
    while (!inflater_->IsFinished()) {
      if (used_ == packed_.size()) {
        PENTIMENTO_ASSIGN(packed_, TakePacked());
        used_ = 0;
        if (packed_.empty()) return archive_.Broken("is a ZIP archive that is damaged; copy it anew");
      }
      const std::optional<Inflater::Step> done = inflater_->Inflate(std::string_view(packed_).substr(used_), out);
      if (!done) return archive_.Broken("is a ZIP archive that is damaged; copy it anew");
      used_ += done->read;
      if (done->written > 0) return out.substr(0, done->written);
    }
    return std::string();
  }

 private:
  Result<std::string> TakePacked() {
    const std::uint64_t size = std::min(left_, kBlockOfZip);
    PENTIMENTO_ASSIGN(std::string bytes, archive_.ReadAt(at_, size));
    at_ += size;
    left_ -= size;
    return bytes;
  }

  const ZipArchive& archive_;
  std::uint64_t at_, left_;
  bool is_packed_;
  std::unique_ptr<Inflater> inflater_;
  std::string packed_;
  std::size_t used_ = 0;
};

// Calls take(bytes) for one block after the other; it returns an error to stop.
template <typename Take>
Status ZipArchive::Unpack(const Entry& entry, const Take& take) const {
  PENTIMENTO_ASSIGN(const std::uint64_t begin, BeginOf(entry));
  Unpacking unpacking(*this, entry, begin);
  PENTIMENTO_RETURN_IF_ERROR(unpacking.Begin());
  Crc32 checksum;
  std::uint64_t size = 0;
  while (true) {
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    PENTIMENTO_ASSIGN(const std::string block, unpacking.Next());
    if (block.empty()) break;
    size += block.size();
    if (size > entry.size) break;
    checksum.Update(block);
    PENTIMENTO_RETURN_IF_ERROR(take(block));
  }
  if (size == entry.size && checksum.Get() == entry.checksum) return {};
  return Broken(fmt::format("is damaged: '{}' in it is not what its checksum says; copy it anew", entry.name));
}

Result<std::string> ZipArchive::Read(std::string_view name, std::uint64_t most) const {
  PENTIMENTO_ASSIGN(const Entry* entry, Require(name, most));
  std::string bytes;
  PENTIMENTO_RETURN_IF_ERROR(Unpack(*entry, [&](std::string_view block) {
    bytes += block;
    return Status();
  }));
  return bytes;
}

Status ZipArchive::Extract(std::string_view name, std::uint64_t most, const std::filesystem::path& target) const {
  PENTIMENTO_ASSIGN(const Entry* entry, Require(name, most));
  const auto trouble = [&](int error) {
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", target.string(), std::strerror(error))};
  };
  const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return trouble(errno);
  const Status unpacked = Unpack(*entry, [&](std::string_view block) {
    const int error = WriteWhole(file, block);
    return error == 0 ? Status() : Status(trouble(error));
  });
  const int error = close(file) == 0 ? 0 : errno;
  PENTIMENTO_RETURN_IF_ERROR(unpacked);
  return error == 0 ? Status() : Status(trouble(error));
}

}  // namespace pentimento
