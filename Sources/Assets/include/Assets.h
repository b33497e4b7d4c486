// Files of the source tree, compiled into the program. Each is an array of bytes with its length beside it.
#ifndef ASSETS_H
#define ASSETS_H

#include <stddef.h>

#include "Flowers.h"
#include "Migrations.h"
#include "Web.h"

#endif
