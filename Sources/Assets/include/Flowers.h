// The drawings under web/flowers, compiled in so that the program needs no file beside it.
#ifndef ASSETS_FLOWERS_H
#define ASSETS_FLOWERS_H

#include <stddef.h>

/// One drawing, an SVG file. Everything in it lives as long as the program.
struct asset_flower {
    /// The file's name without its ending.
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/// The drawing at `index`, in alphabetical order; NULL behind the last.
const struct asset_flower *asset_flower(size_t index);

#endif
