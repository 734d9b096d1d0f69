// The place where a release becomes visible: written under a hidden name, then renamed in one step.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "ledger/file_descriptor.h"

namespace pentimento {

class OutFolder {
 public:
  // kUsage where `out`/`release` is there already. Removes what a killed run may have left under the hidden name;
  // nothing else in `out` is touched.
  static Result<OutFolder> Prepare(const std::filesystem::path& out, const std::string& release);
  // Checks the same and changes nothing.
  static Status CheckFree(const std::filesystem::path& out, const std::string& release);

  OutFolder(OutFolder&& other) noexcept = default;
  OutFolder& operator=(OutFolder&&) = delete;
  // Nobody should find half a release: what is still hidden is removed.
  ~OutFolder();

  const std::filesystem::path& final_path() const { return final_path_; }
  const std::filesystem::path& staging_path() const { return staging_path_; }

  bool is_visible() const { return staging_path_.empty(); }

  // The moment of publication. Never replaces anything. Others may then read the folder as far as the umask lets them,
  // as they may read the files in it.
  Status MakeVisible();

 private:
  OutFolder(std::filesystem::path final_path, FileDescriptor lock);

  std::filesystem::path final_path_;
  std::filesystem::path staging_path_;
  FileDescriptor lock_;  // on the staging folder: another run for the same place sees that this one is alive
};

}  // namespace pentimento
