// What datapackage.json says beside the files of a release, for people to read. manifest.cc reads it, as the rest of
// it.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace pentimento {

struct ManifestRemarks {
  std::string engine;            // the program and its version
  std::string not_promised;      // what the guarantee does not cover, in words; may be empty
  std::string composition_json;  // what it says that several releases tell together; empty: nothing
};

// Of a folder that ReadManifest reads. kBadInput where these are not what we write.
Result<ManifestRemarks> ReadManifestRemarks(const std::filesystem::path& folder);

}  // namespace pentimento
