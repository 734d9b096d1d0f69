// The time of day. The only home of the system's clock: everything else takes a Clock, so that tests can set it.
#pragma once

#include <functional>
#include <string>

namespace pentimento {

// The present moment as UTC text, "2026-03-01T12:34:56Z": it sorts as text and reads the same everywhere.
using Clock = std::function<std::string()>;

std::string UtcNow();

}  // namespace pentimento
