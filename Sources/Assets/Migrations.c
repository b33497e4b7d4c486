// A new migration gets an array and a line in the table.
#include "Migrations.h"

static const unsigned char links[] = {
#embed "../../migrations/sqlite/0001-links.sql"
};
static const unsigned char listed_blocks[] = {
#embed "../../migrations/sqlite/0002-listed-blocks.sql"
};
static const unsigned char targets[] = {
#embed "../../migrations/sqlite/0003-targets.sql"
};

static const struct asset_migration sqlite_migrations[] = {
    {1, "0001-links", links, sizeof links},
    {2, "0002-listed-blocks", listed_blocks, sizeof listed_blocks},
    {3, "0003-targets", targets, sizeof targets},
};

const struct asset_migration *asset_sqlite_migration(size_t index) {
    return index < sizeof sqlite_migrations / sizeof sqlite_migrations[0] ? &sqlite_migrations[index] : NULL;
}
