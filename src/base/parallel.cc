#include "base/parallel.h"

#include <thread>

namespace pentimento {

ThreadLimit::ThreadLimit(std::size_t threads)
    : control_(tbb::global_control::max_allowed_parallelism,
               threads > 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency())) {}

}  // namespace pentimento
