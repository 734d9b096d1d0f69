// The files of a release that may be a stranger's. Its datapackage.json names files; whoever opens one of them comes
// here first, so that a release cannot make us read, or print a line of, anything outside of its own folder.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace pentimento {

// The text of the folder's datapackage.json: of a regular file in that folder, of a bounded size. Errors are kBadInput,
// and their message is the reason alone.
Result<std::string> ReadManifest(const std::filesystem::path& folder);

// Where the file that datapackage.json calls `name` is. kBadInput where the name leads out of the folder, be it by
// itself or through a link, or to something that is no regular file. A file that is not there is found missing by
// whoever opens it.
Result<std::filesystem::path> FileOfRelease(const std::filesystem::path& folder, const std::string& name);

}  // namespace pentimento
