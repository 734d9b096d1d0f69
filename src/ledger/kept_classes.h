// Who was in which class of one release, and which values each class has: what later releases are measured together
// with. docs/formats/state.md is the format.
//
// 1. Classes are those of release/common_releases.h: boxes that cannot be told apart are one class.
// 2. Values are keyed hashes of what was published: enough to see that two releases have the same one, and nothing that
//    tells which without the ledger's key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/state_file.h"
#include "release/classes.h"

namespace pentimento {

// A sensitive column. Entries of a class: begin[class] to begin[class + 1].
struct ClassValuesView {
  std::string name;
  std::span<const IdentityHash> dictionary;  // by value
  std::span<const std::uint32_t> begin;      // by class, and one more
  std::span<const std::uint32_t> value;      // by entry: into the dictionary, ascending inside a class
  std::span<const std::uint32_t> count;      // by entry: rows
};

struct KeptClassesView {
  std::span<const IdentityHash> people;       // ascending, each once; empty: those of NAME.identities
  std::span<const ClassNumber> class_of;      // by person
  std::span<const std::uint32_t> rows;        // by class
  std::vector<ClassValuesView> columns = {};  // those that can be compared; none where somebody has several rows
};

Result<StateFileRecord> WriteKeptClasses(const std::filesystem::path& state_folder, std::string_view name,
                                         const KeptClassesView& classes);

// Classes on disk, mapped: looked at in place.
class KeptClasses {
 public:
  // The file was mapped with StateCheck::kPayload.
  static Result<KeptClasses> Open(MappedStateFile file, const std::string& name);

  const KeptClassesView& view() const { return view_; }

 private:
  explicit KeptClasses(MappedStateFile file) : file_(std::move(file)) {}
  MappedStateFile file_;  // whose mapping does not move with the object
  KeptClassesView view_;
};

}  // namespace pentimento
