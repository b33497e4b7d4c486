// libFuzzer's entrance for programs that bring a `main` of their own (llvm.org/docs/LibFuzzer.html, «Using libFuzzer as a
// library»); no header of the toolchain declares it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs `callback` on input after input, as the options in `argv` say, until they are used up or one brings it down.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));
