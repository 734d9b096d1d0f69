// What the machine gives a process: memory and threads. Running out of either is nobody's mistake in policy or data, so
// it is told as what it is, kStorage, wherever it is noticed.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "base/result.h"

namespace pentimento {

Error OutOfMemory();
Error OutOfThreads();

// The error behind an exception that says that memory or threads ran out; nothing for any other exception.
std::optional<Error> FindMachineLimit(const std::exception& thrown);

// Bytes that this process may have at most: the least of the machine's memory, the limit of its control group, and the
// limits that a shell sets (ulimit -v, -d).
std::uint64_t MemoryOfProcess();

// From now on an exception that nobody can catch (in a thread of a library, in a destructor), a failed check included,
// ends the process with a message and the exit code of its cause, instead of a signal; and so does a library that ends
// by a signal for want of memory. For programs that own their process.
void EndOnUncaughtExceptions();

}  // namespace pentimento
