// A story of the demo: the same people and the same promise, in one generalized table and in two undistorted ones.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"

namespace pentimento {

// `people` is a table of the made-up register, beside its taxonomies. Everything that is made goes into `folder`, which
// it makes.
Status TellHospital(const std::filesystem::path& folder, const std::filesystem::path& people, Progress* progress);

}  // namespace pentimento
