#include "ledger/kept_classes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace pentimento {
namespace {

constexpr std::uint32_t kClassesVersion = 1;

// Before the sections: people, dictionaries; class_of, rows; begin, value, count of each column; about. Each begins
// where the one before ends, the wider elements first.
struct ClassesDirectory {
  std::uint32_t version = kClassesVersion;
  std::uint32_t columns = 0;
  std::uint64_t own_people = 0;  // identities in this file; 0: they are in a file of their own
  std::uint64_t people = 0;
  std::uint32_t classes = 0;
  std::uint32_t about_bytes = 0;
};
static_assert(sizeof(ClassesDirectory) % 16 == 0 && std::has_unique_object_representations_v<ClassesDirectory>);

Error DamagedClasses(const std::string& name, std::string_view what) {
  return {ErrorCode::kCorruptLedger,
          fmt::format("{}: the classes of the release are damaged: {}. Restore the ledger from a backup.", name, what)};
}

// What the directory does not say: the columns.
struct ColumnSizes {
  std::string name;
  std::uint64_t values = 0;
  std::uint64_t entries = 0;
};

// Names may be no UTF-8, so they are written as lists of bytes.
std::string AboutText(const KeptClassesView& classes) {
  nlohmann::json about = nlohmann::json::array();
  for (const ClassValuesView& column : classes.columns) {
    about.push_back({{"name", std::vector<std::uint8_t>(column.name.begin(), column.name.end())},
                     {"values", column.dictionary.size()},
                     {"entries", column.value.size()}});
  }
  return about.dump();
}

std::optional<std::vector<ColumnSizes>> ParseAbout(std::string_view text) {
  const auto about = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!about.is_array()) return std::nullopt;
  std::vector<ColumnSizes> columns;
  for (const auto& column : about) {
    if (!column.is_object() || !column.contains("name") || !column["name"].is_array()) return std::nullopt;
    ColumnSizes& sizes = columns.emplace_back();
    for (const auto& byte : column["name"]) {
      if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 0xff) return std::nullopt;
      sizes.name.push_back(static_cast<char>(byte.get<std::uint8_t>()));
    }
    for (auto [key, into] : {std::pair{"values", &sizes.values}, std::pair{"entries", &sizes.entries}}) {
      if (!column.contains(key) || !column[key].is_number_unsigned()) return std::nullopt;
      *into = column[key].get<std::uint64_t>();
      if (*into > UINT32_MAX) return std::nullopt;
    }
  }
  return columns;
}

// Takes arrays off the payload, one after the other. Sizes were added up before.
class PayloadWalk {
 public:
  explicit PayloadWalk(const std::byte* at) : at_(at) {}
  template <typename T>
  std::span<const T> Take(std::uint64_t count) {
    const std::span<const T> taken(reinterpret_cast<const T*>(at_), static_cast<std::size_t>(count));
    at_ += taken.size_bytes();
    return taken;
  }

 private:
  const std::byte* at_;
};

std::uint64_t BytesOf(const ClassesDirectory& directory, const std::vector<ColumnSizes>& columns) {
  std::uint64_t bytes = sizeof directory + directory.own_people * sizeof(IdentityHash) +
                        (directory.people + directory.classes) * sizeof(std::uint32_t) + directory.about_bytes;
  for (const ColumnSizes& column : columns) {
    bytes += column.values * sizeof(IdentityHash) +
             (std::uint64_t{directory.classes} + 1 + 2 * column.entries) * sizeof(std::uint32_t);
  }
  return bytes;
}

bool AllBelow(std::span<const std::uint32_t> numbers, std::uint64_t limit) {
  return std::ranges::all_of(numbers, [&](std::uint32_t number) { return number < limit; });
}

// No class has more people than rows.
bool HoldsItsPeople(const KeptClassesView& view) {
  std::vector<std::uint32_t> people(view.rows.size(), 0);
  for (const ClassNumber number : view.class_of) ++people[number];
  return std::ranges::equal(people, view.rows, std::ranges::less_equal());
}

// Of each class: values ascend, no count is 0, and the counts add up to its rows.
bool HoldsItsRows(const ClassValuesView& column, std::span<const std::uint32_t> rows) {
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::uint64_t counted = 0;
    for (std::uint32_t i = column.begin[c]; i < column.begin[c + 1]; ++i) {
      if (column.count[i] == 0 || (i > column.begin[c] && column.value[i - 1] >= column.value[i])) return false;
      counted += column.count[i];
    }
    if (counted != rows[c]) return false;
  }
  return true;
}

bool IsEachOnce(std::span<const IdentityHash> values) {
  std::vector<IdentityHash> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

// What a reader relies on without looking again.
bool IsSound(const KeptClassesView& view) {
  if (std::ranges::adjacent_find(view.people, std::ranges::greater_equal()) != view.people.end()) return false;
  if (!AllBelow(view.class_of, view.rows.size()) || !HoldsItsPeople(view)) return false;
  return std::ranges::all_of(view.columns, [&](const ClassValuesView& column) {
    return column.begin.front() == 0 && column.begin.back() == column.value.size() &&
           std::ranges::is_sorted(column.begin) && AllBelow(column.value, column.dictionary.size()) &&
           HoldsItsRows(column, view.rows) && IsEachOnce(column.dictionary);
  });
}

}  // namespace

Result<StateFileRecord> WriteKeptClasses(const std::filesystem::path& state_folder, std::string_view name,
                                         const KeptClassesView& classes) {
  const std::string about = AboutText(classes);
  const ClassesDirectory directory{kClassesVersion,
                                   static_cast<std::uint32_t>(classes.columns.size()),
                                   classes.people.size(),
                                   classes.class_of.size(),
                                   static_cast<std::uint32_t>(classes.rows.size()),
                                   static_cast<std::uint32_t>(about.size())};
  PENTIMENTO_ASSIGN(StateFileWriter writer, StateFileWriter::Create(state_folder, name, StateKind::kClasses, 1));
  const auto append = [&](auto elements) { return writer.Append(std::as_bytes(elements)); };
  PENTIMENTO_RETURN_IF_ERROR(append(std::span(&directory, 1)));
  PENTIMENTO_RETURN_IF_ERROR(append(classes.people));
  for (const ClassValuesView& column : classes.columns) PENTIMENTO_RETURN_IF_ERROR(append(column.dictionary));
  PENTIMENTO_RETURN_IF_ERROR(append(classes.class_of));
  PENTIMENTO_RETURN_IF_ERROR(append(classes.rows));
  for (const ClassValuesView& column : classes.columns) {
    for (const std::span<const std::uint32_t> part : {column.begin, column.value, column.count})
      PENTIMENTO_RETURN_IF_ERROR(append(part));
  }
  PENTIMENTO_RETURN_IF_ERROR(append(std::span(about)));
  return writer.Finish();
}

Result<KeptClasses> KeptClasses::Open(MappedStateFile file, const std::string& name) {
  KeptClasses classes(std::move(file));
  PENTIMENTO_ASSIGN(const std::span<const std::byte> payload, classes.file_.Elements<std::byte>());
  ClassesDirectory directory;
  if (payload.size() < sizeof directory) return DamagedClasses(name, "the file is too short");
  std::memcpy(&directory, payload.data(), sizeof directory);
  if (directory.version > kClassesVersion) {
    return Error{ErrorCode::kStorage,
                 fmt::format("{}: the classes of the release have version {}, this program reads up to {}; use a newer "
                             "one",
                             name, directory.version, kClassesVersion)};
  }
  if (directory.about_bytes > payload.size() - sizeof directory) return DamagedClasses(name, "the file is too short");
  const auto about = payload.last(directory.about_bytes);
  const auto columns = ParseAbout({reinterpret_cast<const char*>(about.data()), about.size()});
  const bool fits = columns && columns->size() == directory.columns && directory.people <= UINT32_MAX &&
                    (directory.own_people == 0 || directory.own_people == directory.people) &&
                    BytesOf(directory, *columns) == payload.size();
  if (!fits) return DamagedClasses(name, "its sizes do not fit");
  PayloadWalk walk(payload.data() + sizeof directory);
  KeptClassesView& view = classes.view_;
  view.people = walk.Take<IdentityHash>(directory.own_people);
  for (const ColumnSizes& column : *columns) {
    view.columns.push_back({column.name, walk.Take<IdentityHash>(column.values), {}, {}, {}});
  }
  view.class_of = walk.Take<ClassNumber>(directory.people);
  view.rows = walk.Take<std::uint32_t>(directory.classes);
  for (std::size_t i = 0; i < columns->size(); ++i) {
    ClassValuesView& column = view.columns[i];
    column.begin = walk.Take<std::uint32_t>(std::uint64_t{directory.classes} + 1);
    column.value = walk.Take<std::uint32_t>((*columns)[i].entries);
    column.count = walk.Take<std::uint32_t>((*columns)[i].entries);
  }
  if (!IsSound(view)) return DamagedClasses(name, "its numbers do not fit");
  return classes;
}

}  // namespace pentimento
