// What the machine gives a process: memory and threads. Running out of either is nobody's mistake in policy or data, so
// it is told as what it is, kStorage, wherever it is noticed.
#pragma once

#include <malloc.h>

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

// Steps of a release hand each other arrays of a few megabytes. The C library gives such arrays back to the system and
// asks for fresh pages right after, which costs as much as filling them; so it keeps up to 128 MB. What is kept is in
// pieces, and a large table would need a fifth more memory at its peak: only for small ones.
inline void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

// Gives back to the system what the C library keeps of freed memory. Between steps that allocate differently: batches
// that were read are small pieces, and columns and records are large ones, which never reuse them.
inline void GiveBackFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace pentimento
