// The migrations under migrations/sqlite, compiled in so that the program needs no file beside it.
#ifndef ASSETS_MIGRATIONS_H
#define ASSETS_MIGRATIONS_H

#include <stddef.h>
#include <stdint.h>

/// One migration file. Everything in it lives as long as the program.
struct asset_migration {
    int64_t number;
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/// The migration at `index`, in the order of their numbers; NULL behind the last.
const struct asset_migration *asset_sqlite_migration(size_t index);

#endif
