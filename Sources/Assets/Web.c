// The files under web/.
#include "Web.h"

static const unsigned char style_css[] = {
#embed "web/style.css"
};
const size_t asset_style_css_size = sizeof style_css;
const unsigned char *asset_style_css_bytes(void) { return style_css; }

static const unsigned char overlay_css[] = {
#embed "web/overlay.css"
};
const size_t asset_overlay_css_size = sizeof overlay_css;
const unsigned char *asset_overlay_css_bytes(void) { return overlay_css; }

static const unsigned char favicon[] = {
#embed "web/favicon.ico"
};
const size_t asset_favicon_size = sizeof favicon;
const unsigned char *asset_favicon_bytes(void) { return favicon; }
