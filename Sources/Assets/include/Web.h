// What browsers are served beside the pages, compiled in so that the program needs no file beside it.
#ifndef ASSETS_WEB_H
#define ASSETS_WEB_H

#include <stddef.h>

/// The style sheet of all pages.
const unsigned char *asset_style_css_bytes(void);
extern const size_t asset_style_css_size;

/// The style sheet of pages that are laid over a picture.
const unsigned char *asset_overlay_css_bytes(void);
extern const size_t asset_overlay_css_size;

/// The icon, 32 pixels square.
const unsigned char *asset_favicon_bytes(void);
extern const size_t asset_favicon_size;

#endif
