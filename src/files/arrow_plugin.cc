#include "files/arrow_plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {

#ifndef PENTIMENTO_PACKAGE

void SetArrowFolder(const std::filesystem::path&) {}

Result<const FileFunctions*> LoadFileFunctions() { return PentimentoFileFunctions(); }

#else

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibarrow = "libarrow.so.";
constexpr std::string_view kPlugin = "libpentimento_arrow_";

// libarrow.so.2600 belongs to Arrow 26.0: versions times a hundred. Nothing for other names.
std::optional<int> NumberIn(std::string_view name, std::string_view before, std::string_view after = "") {
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

std::string MajorOf(int number) { return fmt::format("{}", number / 100); }

struct NamedFolder {
  std::mutex mutex;
  fs::path folder;
};

NamedFolder& Named() {
  static NamedFolder named;
  return named;
}

// Of the library that this code is in.
fs::path OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&LoadFileFunctions), &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::absolute(info.dli_fname).parent_path();
}

// By number.
std::map<int, fs::path> PluginsIn(const fs::path& folder) {
  std::map<int, fs::path> plugins;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (const auto number = NumberIn(entry.path().filename().string(), kPlugin, ".so")) plugins[*number] = entry.path();
  }
  return plugins;
}

std::optional<int> LibarrowIn(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (const auto number = NumberIn(entry.path().filename().string(), kLibarrow)) return number;
  }
  return std::nullopt;
}

// Of the libarrow that this process has, whoever loaded it.
std::optional<int> LoadedLibarrow() {
  std::optional<int> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        const std::string name = fs::path(info->dlpi_name).filename().string();
        const auto number = NumberIn(name, kLibarrow);
        if (number) *static_cast<std::optional<int>*>(result) = number;
        return number ? 1 : 0;
      },
      &found);
  return found;
}

std::vector<fs::path> FoldersToLookIn(const fs::path& own) {
  std::vector<fs::path> folders;
  {
    NamedFolder& named = Named();
    const std::lock_guard lock(named.mutex);
    if (!named.folder.empty()) folders.push_back(named.folder);
  }
  if (const char* const folder = std::getenv("PENTIMENTO_ARROW"); folder != nullptr && *folder != '\0')
    folders.emplace_back(folder);
  folders.push_back(own);
  folders.push_back(own / ".." / ".." / "pyarrow");
  return folders;
}

std::string Majors(const std::map<int, fs::path>& plugins) {
  std::vector<std::string> majors;
  for (const auto& [number, path] : plugins) majors.push_back(MajorOf(number));
  return fmt::format("{}", fmt::join(majors, " or "));
}

std::string HowToInstall(const std::map<int, fs::path>& plugins) {
  if (plugins.empty()) return "this package has no plugin for any version; install it anew";
  return fmt::format("install it: pip install \"pyarrow>={},<{}\"", MajorOf(plugins.begin()->first),
                     plugins.rbegin()->first / 100 + 1);
}

Error DoesNotFit(int number, const std::map<int, fs::path>& plugins) {
  return {ErrorCode::kUsage, fmt::format("pyarrow {} is there, and files are read and written with pyarrow {}; {}",
                                         MajorOf(number), Majors(plugins), HowToInstall(plugins))};
}

Result<const FileFunctions*> Load(const fs::path& plugin) {
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const functions = library == nullptr ? nullptr : dlsym(library, "PentimentoFileFunctions");
  if (functions == nullptr) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: cannot be loaded ({}); install the package anew", plugin.string(), dlerror())};
  }
  return reinterpret_cast<decltype(&PentimentoFileFunctions)>(functions)();
}

// Loaded by its path, so that the plugin finds it by its name; nothing is made visible to others.
Status LoadLibraries(const fs::path& folder, int number) {
  for (const char* name : {"libarrow.so.", "libparquet.so."}) {
    const fs::path path = folder / fmt::format("{}{}", name, number);
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      return Error{ErrorCode::kUsage, fmt::format("{}: cannot be loaded ({})", path.string(), dlerror())};
  }
  return {};
}

}  // namespace

void SetArrowFolder(const fs::path& folder) {
  NamedFolder& named = Named();
  const std::lock_guard lock(named.mutex);
  named.folder = folder;
}

Result<const FileFunctions*> LoadFileFunctions() {
  const fs::path own = OwnFolder();
  const std::map<int, fs::path> plugins = PluginsIn(own);
  if (const std::optional<int> loaded = LoadedLibarrow()) {
    const auto plugin = plugins.find(*loaded);
    if (plugin == plugins.end()) return DoesNotFit(*loaded, plugins);
    return Load(plugin->second);
  }
  std::optional<int> other;
  for (const fs::path& folder : FoldersToLookIn(own)) {
    const std::optional<int> number = LibarrowIn(folder);
    const auto plugin = number ? plugins.find(*number) : plugins.end();
    if (plugin == plugins.end()) {
      if (!other) other = number;
      continue;
    }
    PENTIMENTO_RETURN_IF_ERROR(LoadLibraries(folder, *number));
    return Load(plugin->second);
  }
  if (other) return DoesNotFit(*other, plugins);
  return Error{ErrorCode::kUsage, fmt::format("files are read and written with pyarrow {}, which is not installed; {}",
                                              Majors(plugins), HowToInstall(plugins))};
}

#endif

}  // namespace pentimento
