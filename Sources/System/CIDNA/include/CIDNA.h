// Domain to ASCII by ICU, without ICU's own types: those are declared by Foundation's copy of ICU too, and one program cannot
// see both. ICU's names also carry its version by way of macros, which Swift does not see.
#ifndef CIDNA_H
#define CIDNA_H

#include <stdbool.h>
#include <stdint.h>

/// The file name of ICU's library where it is not installed, else NULL. It is loaded by need only: it takes half a megabyte,
/// and many a store never sees a name that is not ASCII.
const char *idna_missing_library(void);

/// A processor for UTS 46. Never changes; many threads may use one.
struct idna_processor;

/// Opens a processor as the URL standard wants it: non-transitional, with the checks of joiners and bidirectional text. Reads
/// data from the disk. NULL where ICU has none or is missing.
struct idna_processor *idna_open(void);

/// Converts `length` bytes of UTF-8. Returns the bytes that the result needs, more than `capacity` where it did not fit, or -1
/// where ICU failed or the standard refuses the name. Hyphens and lengths are not looked at.
int32_t idna_to_ascii(
    const struct idna_processor *processor, const char *name, int32_t length, char *result, int32_t capacity);

#endif
