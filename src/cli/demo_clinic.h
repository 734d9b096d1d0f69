// A story of the demo: a clinic publishes its patients twice, each time safely, and both times together not.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"

namespace pentimento {

// Everything that is made goes into `folder`, which it makes.
Status TellClinic(const std::filesystem::path& folder, Progress* progress);

}  // namespace pentimento
