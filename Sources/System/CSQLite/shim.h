#include <sqlite3.h>

/// Keeps SQLite from adding up its own memory, for which all connections share a lock at each allocation. Only before its first
/// other call; later it changes nothing (https://www.sqlite.org/c3ref/config.html).
static inline void csqlite_count_no_memory(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
