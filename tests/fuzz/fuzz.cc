#include "fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "base/check.h"
#include "base/temporary_folder.h"

namespace pentimento::fuzz {
namespace {

// Nobody catches the exception of a failed check, so that it is a finding like any other. This only tells which.
[[noreturn]] void TellUncaught() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const InternalError& error) {
    std::fprintf(stderr, "fuzz: %s\n", error.message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz: exception: %s\n", error.what());
  } catch (...) {
  }
  std::abort();
}

const std::terminate_handler kBefore = std::set_terminate(TellUncaught);

struct PrivateFolder {
  PrivateFolder() {
    std::string name = (TemporaryFolder() / "pentimento-fuzz-XXXXXX").string();
    Require(mkdtemp(name.data()) != nullptr, "no folder for temporary files");
    path = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

// Before main: Arrow chooses its allocator once. Its own would hide from AddressSanitizer what is read past a buffer.
const int kArrowAllocator = setenv("ARROW_DEFAULT_MEMORY_POOL", "system", 1);

}  // namespace

void Report(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

const std::filesystem::path& Folder() {
  static const PrivateFolder folder;
  return folder.path;
}

std::filesystem::path WriteFile(const std::string& name, std::string_view bytes) {
  std::filesystem::path file = Folder() / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

}  // namespace pentimento::fuzz
