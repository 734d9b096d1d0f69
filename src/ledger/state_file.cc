#include "ledger/state_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/hash.h"
#include "base/run.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

static_assert(std::endian::native == std::endian::little, "state files are little endian and mapped as they are");

constexpr std::array<char, 8> kMagic = {'P', 'E', 'N', 'T', 'S', 'T', 'A', 'T'};
constexpr std::uint32_t kFormatVersion = 1;

// 64 bytes, so that the payload behind it is aligned to a cache line wherever the file is mapped.
struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kFormatVersion;
  std::uint32_t kind = 0;
  std::uint32_t element_size = 0;
  std::uint32_t reserved_32 = 0;
  std::uint64_t count = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t payload_checksum = 0;
  std::uint64_t reserved_64 = 0;
  std::uint64_t header_checksum = 0;  // of the bytes before it
};
static_assert(sizeof(Header) == 64 && std::has_unique_object_representations_v<Header>);

std::uint64_t ChecksumOf(const Header& header) {
  return Checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_checksum)));
}

struct KindName {
  StateKind kind;
  std::string_view name;
};
constexpr std::array kKindNames = {
    KindName{StateKind::kIdentities, "identities"},
    KindName{StateKind::kTree, "tree"},
    KindName{StateKind::kBudgets, "budgets"},
    KindName{StateKind::kCodes, "codes"},
    KindName{StateKind::kRows, "rows"},
    KindName{StateKind::kClasses, "classes"},
};

Error Damaged(const std::filesystem::path& path, std::string_view what) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: the state file is damaged: {}. Restore the ledger from a backup.", path.string(), what)};
}

// The magic and the version come before the checksum: a newer format may well have another header behind them.
Status CheckHeader(const Header& header, std::uint64_t file_bytes, StateKind kind, const std::filesystem::path& path) {
  if (header.magic != kMagic) return Damaged(path, "it does not begin like one");
  if (header.version > kFormatVersion) {
    return Error{
        ErrorCode::kStorage,
        fmt::format("{}: the state file has format version {}, this program knows versions "
                    "up to {}. Use the newer Pentimento that wrote it; if there is none, restore the ledger from a "
                    "backup.",
                    path.string(), header.version, kFormatVersion)};
  }
  if (header.header_checksum != ChecksumOf(header)) return Damaged(path, "its header does not match its checksum");
  if (header.version == 0 || header.element_size == 0) return Damaged(path, "its header makes no sense");
  if (header.payload_bytes / header.element_size != header.count || header.payload_bytes % header.element_size != 0) {
    return Damaged(path, "the number of its elements does not match its size");
  }
  if (header.payload_bytes != file_bytes - sizeof(Header)) {
    return Damaged(path,
                   fmt::format("it has {} bytes instead of {}", file_bytes, header.payload_bytes + sizeof(Header)));
  }
  if (header.kind != static_cast<std::uint32_t>(kind)) {
    return Damaged(path, fmt::format("it does not hold {}", ToString(kind)));
  }
  return {};
}

}  // namespace

Error StateFileIsMissing(const std::filesystem::path& path) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: missing, though the ledger has it on record. Restore the ledger from a backup.", path.string())};
}

std::string_view ToString(StateKind kind) {
  for (const KindName& known : kKindNames) {
    if (known.kind == kind) return known.name;
  }
  return "unknown";
}

std::optional<StateKind> ParseStateKind(std::string_view text) {
  for (const KindName& known : kKindNames) {
    if (known.name == text) return known.kind;
  }
  return std::nullopt;
}

bool IsStateFileName(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.size() <= 200 && name.front() != '.' && !name.ends_with(".partial") &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Result<StateFileWriter> StateFileWriter::Create(const std::filesystem::path& folder, std::string_view name,
                                                StateKind kind, std::uint32_t element_size, WriteWay way) {
  Check(IsStateFileName(name), "the name of a state file is plain");
  Check(element_size > 0, "the elements of a state file have a size");
  // State files never change: writing over one that an earlier release needs would destroy its history.
  if (std::filesystem::exists(std::filesystem::symlink_status(folder / name))) {
    return StorageError(folder / name, "created", EEXIST);
  }
  StateFileWriter writer;
  writer.folder_ = folder;
  writer.name_ = name;
  writer.kind_ = kind;
  writer.element_size_ = element_size;
  unlink(writer.PartialPath().c_str());
  PENTIMENTO_ASSIGN(writer.file_, CreatePrivateFile(writer.PartialPath(), way));
  const Header space;
  writer.buffer_.Fill(std::as_bytes(std::span(&space, 1)));
  return writer;
}

StateFileWriter::~StateFileWriter() {
  if (file_.valid()) unlink(PartialPath().c_str());
}

std::filesystem::path StateFileWriter::PartialPath() const { return folder_ / (name_ + ".partial"); }

// Piece by piece, so that what is summed up is still in the cache when it is copied.
Status StateFileWriter::AppendBytes(std::span<const std::byte> bytes) {
  Check(file_.valid(), "a finished state file takes no more elements");
  payload_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const auto rest = buffer_.Fill(bytes);
    checksum_.Update(bytes.first(bytes.size() - rest.size()));
    if (buffer_.is_full()) PENTIMENTO_RETURN_IF_ERROR(Flush());
    bytes = rest;
  }
  return {};
}

Status StateFileWriter::Flush() {
  PENTIMENTO_RETURN_IF_ERROR(WriteAll(file_, buffer_.content(), PartialPath()));
  buffer_.Clear();
  return {};
}

Status StateFileWriter::RequireWhole() const {
  struct stat status;
  if (fstat(file_.get(), &status) != 0) return StorageError(PartialPath(), "read", errno);
  if (static_cast<std::uint64_t>(status.st_size) == sizeof(Header) + payload_bytes_) return {};
  return StorageError(PartialPath(), "written whole", EIO);
}

Result<StateFileRecord> StateFileWriter::Finish() {
  Check(file_.valid(), "a state file is finished once");
  if (!UseCache(file_)) return StorageError(PartialPath(), "written", errno);
  PENTIMENTO_RETURN_IF_ERROR(Flush());
  PENTIMENTO_RETURN_IF_ERROR(RequireWhole());
  Header header;
  header.kind = static_cast<std::uint32_t>(kind_);
  header.element_size = element_size_;
  header.count = payload_bytes_ / element_size_;
  header.payload_bytes = payload_bytes_;
  header.payload_checksum = checksum_.Get();
  header.header_checksum = ChecksumOf(header);
  if (lseek(file_.get(), 0, SEEK_SET) != 0) return StorageError(PartialPath(), "written", errno);
  PENTIMENTO_RETURN_IF_ERROR(WriteAll(file_, std::as_bytes(std::span(&header, 1)), PartialPath()));
  PENTIMENTO_RETURN_IF_ERROR(SyncFile(file_, PartialPath()));
  Failpoint("state-written");
  PENTIMENTO_RETURN_IF_ERROR(RenameDurably(PartialPath(), folder_ / name_));
  Failpoint("state-named");
  file_ = FileDescriptor();
  return StateFileRecord{name_, kind_, sizeof(Header) + payload_bytes_, header.payload_checksum};
}

Result<MappedStateFile> MappedStateFile::Map(const std::filesystem::path& path, StateKind kind, StateCheck check) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return StateFileIsMissing(path);
  if (!file.valid()) return StorageError(path, "opened", errno);
  struct stat status;
  if (fstat(file.get(), &status) != 0) return StorageError(path, "read", errno);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < sizeof(Header)) return Damaged(path, "it is too short");

  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return StorageError(path, "mapped into memory", errno);
  MappedStateFile state;
  state.mapped_ = std::span(static_cast<const std::byte*>(mapped), size);
  state.path_ = path;
  Header header;
  std::memcpy(&header, mapped, sizeof header);
  PENTIMENTO_RETURN_IF_ERROR(CheckHeader(header, size, kind, path));
  state.count_ = header.count;
  state.checksum_ = header.payload_checksum;
  state.element_size_ = header.element_size;
  if (check == StateCheck::kPayload && !state.IsIntact()) {
    return Damaged(path, "its content does not match its checksum");
  }
  return state;
}

MappedStateFile::MappedStateFile(MappedStateFile&& other) noexcept
    : path_(std::move(other.path_)),
      mapped_(std::exchange(other.mapped_, {})),
      count_(other.count_),
      checksum_(other.checksum_),
      element_size_(other.element_size_) {}

MappedStateFile& MappedStateFile::operator=(MappedStateFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(mapped_, other.mapped_);
  std::swap(count_, other.count_);
  std::swap(checksum_, other.checksum_);
  std::swap(element_size_, other.element_size_);
  return *this;
}

MappedStateFile::~MappedStateFile() {
  if (!mapped_.empty()) munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
}

std::span<const std::byte> MappedStateFile::payload() const { return mapped_.subspan(sizeof(Header)); }

Error MappedStateFile::WrongElementSize(std::size_t wanted) const {
  return Damaged(path_, fmt::format("its elements have {} bytes instead of {}", element_size_, wanted));
}

}  // namespace pentimento
