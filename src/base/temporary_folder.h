// Where short-lived private files go.
#pragma once

#include <filesystem>

namespace pentimento {

// The system's folder for temporary files; a broken setting of the user's is no reason to stop.
inline std::filesystem::path TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : folder;
}

}  // namespace pentimento
