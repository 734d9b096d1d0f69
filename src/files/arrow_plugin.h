// Where the functions that need Arrow C++ come from: linked into the program, or the plugin for the libarrow that is
// there.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "files/file_functions.h"

namespace pentimento {

// The folder that holds libarrow, where none is loaded yet; of pyarrow that is its own. Counts until a plugin is
// loaded. Without it: the environment variable PENTIMENTO_ARROW, the folder of the plugins, pyarrow beside this
// package.
void SetArrowFolder(const std::filesystem::path& folder);

// Whether files can be read and written: kUsage says what is missing. Columns of a stream that are neither text nor
// quasi-identifiers need it as well.
Status RequireArrow();
// Empty where there is none.
std::string ArrowVersion();

// For file_functions.cc alone. kUsage where there is no libarrow, or none that a plugin fits: which, and what to
// install.
Result<const FileFunctions*> LoadFileFunctions();

}  // namespace pentimento
