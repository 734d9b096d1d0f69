// A story of the demo: two offices publish different columns of the same people.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"

namespace pentimento {

// Everything that is made goes into `folder`, which it makes.
Status TellTwoOffices(const std::filesystem::path& folder, Progress* progress);

}  // namespace pentimento
