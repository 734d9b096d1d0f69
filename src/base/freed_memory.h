// What becomes of freed memory.
#pragma once

#include <malloc.h>

namespace pentimento {

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
