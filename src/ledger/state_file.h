// State files: what grows with people (identities, trees, budgets, codes) lives beside ledger.db in flat files that are
// mapped into memory as they are. docs/formats/state.md is the format.
//
// A state file is written aside, synced and renamed, and never changed afterwards. It counts for nothing until an entry
// of the ledger names it; an unnamed file is garbage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/check.h"
#include "base/hash.h"
#include "base/result.h"
#include "ledger/file_descriptor.h"

namespace pentimento {

// Numbers are part of the format: never change or reuse one.
enum class StateKind : std::uint32_t { kIdentities = 1, kTree = 2, kBudgets = 3, kCodes = 4, kRows = 5, kClasses = 6 };

// "identities", "tree", ...: the kind as the ledger writes it.
std::string_view ToString(StateKind kind);
std::optional<StateKind> ParseStateKind(std::string_view text);

// What the ledger remembers of a state file.
struct StateFileRecord {
  std::string name;
  StateKind kind = StateKind::kIdentities;
  std::uint64_t bytes = 0;     // of the whole file
  std::uint64_t checksum = 0;  // of the payload
  friend bool operator==(const StateFileRecord&, const StateFileRecord&) = default;
};

// Letters, digits, '-', '_' and '.', not beginning with '.', not ending in ".partial", at most 200 bytes: a name that
// cannot leave the folder of state files.
bool IsStateFileName(std::string_view name);

// What a payload is an array of: values whose bytes are all they are.
template <typename T>
concept StateElement = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
                       alignof(T) <= 64;

// A page-aligned buffer that is filled again and again.
class WriteBuffer {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  WriteBuffer() : bytes_(static_cast<std::byte*>(::operator new(kBytes, kAlignment))) {}

  // Takes as much of `bytes` as there is room for, and returns the rest.
  std::span<const std::byte> Fill(std::span<const std::byte> bytes) {
    const auto taken = bytes.first(std::min(bytes.size(), kBytes - used_));
    std::ranges::copy(taken, bytes_.get() + used_);
    used_ += taken.size();
    return bytes.subspan(taken.size());
  }
  bool is_full() const { return used_ == kBytes; }
  std::span<const std::byte> content() const { return {bytes_.get(), used_}; }
  void Clear() { used_ = 0; }

 private:
  static constexpr std::align_val_t kAlignment{kPastCacheAlignment};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t used_ = 0;
};

// Writes one state file. Dropped before Finish, it leaves nothing behind; killed before Finish, it leaves NAME.partial,
// which the next writer of the ledger removes.
class StateFileWriter {
 public:
  // `folder` is the ledger's state folder; a file called `name` must not be there yet.
  static Result<StateFileWriter> Create(const std::filesystem::path& folder, std::string_view name, StateKind kind,
                                        std::uint32_t element_size, WriteWay way = WriteWay::kThroughCache);
  StateFileWriter(StateFileWriter&&) = default;
  StateFileWriter& operator=(StateFileWriter&&) = delete;
  ~StateFileWriter();

  template <StateElement T>
  Status Append(std::span<const T> elements) {
    Check(sizeof(T) == element_size_, "a state file holds elements of one size");
    return AppendBytes(std::as_bytes(elements));
  }

  // Completes, syncs and names the file. The writer is done after this, whatever comes back.
  Result<StateFileRecord> Finish();

 private:
  StateFileWriter() = default;
  std::filesystem::path PartialPath() const;
  Status AppendBytes(std::span<const std::byte> bytes);
  Status Flush();
  Status RequireWhole() const;

  FileDescriptor file_;
  std::filesystem::path folder_;
  std::string name_;
  StateKind kind_ = StateKind::kIdentities;
  std::uint32_t element_size_ = 0;
  std::uint64_t payload_bytes_ = 0;
  WriteBuffer buffer_;
  // Of what was handed in, not of what arrived: whatever happens on the way is noticed by whoever reads the file.
  StreamedChecksum checksum_;
};

Error StateFileIsMissing(const std::filesystem::path& path);

// How much of a file is read before it is believed.
enum class StateCheck {
  kHeader,   // header and sizes: costs nothing
  kPayload,  // the whole payload against its checksum as well
};

// A state file in memory, read only. Sizes are checked before anything is mapped, so a truncated file is an error and
// never a signal.
class MappedStateFile {
 public:
  // kCorruptLedger for a damaged or missing file, kStorage for one that is unreadable or of a newer version.
  static Result<MappedStateFile> Map(const std::filesystem::path& path, StateKind kind, StateCheck check);
  MappedStateFile(MappedStateFile&& other) noexcept;
  MappedStateFile& operator=(MappedStateFile&& other) noexcept;
  ~MappedStateFile();

  std::uint64_t count() const { return count_; }
  std::uint32_t element_size() const { return element_size_; }
  std::uint64_t bytes() const { return mapped_.size(); }
  std::uint64_t checksum() const { return checksum_; }
  // Whether the payload matches its checksum. Reads all of it: for who mapped the file without, and needs it now.
  bool IsIntact() const { return Checksum(payload()) == checksum_; }

  // The payload as an array. An element size other than T's is a kCorruptLedger error.
  template <StateElement T>
  Result<std::span<const T>> Elements() const {
    if (element_size_ != sizeof(T)) return WrongElementSize(sizeof(T));
    return std::span(reinterpret_cast<const T*>(payload().data()), static_cast<std::size_t>(count_));
  }

 private:
  MappedStateFile() = default;
  std::span<const std::byte> payload() const;
  Error WrongElementSize(std::size_t wanted) const;

  std::filesystem::path path_;
  std::span<const std::byte> mapped_;
  std::uint64_t count_ = 0;
  std::uint64_t checksum_ = 0;
  std::uint32_t element_size_ = 0;
};

}  // namespace pentimento
