// SQLite's own page cache, with one change: while a thread looks links up, the leaves that it has read do not stay.
//
// In a store that is too large for the cache each look-up reads a leaf that nobody will ask for again soon, and a cache that
// forgets what was used longest ago lets them drive out the inner pages, which every look-up needs. So once the cache is full, two
// buffers take all the leaves in turn: the inner pages stay, and the kernel copies into memory that the processor still holds.
//
// A parked page has been unpinned by SQLite, and a cache may then do with it as it likes
// (https://www.sqlite.org/c3ref/pcache_methods2.html); the default cache below is not told, and holds it. It is found again by its
// key, and let go before pages are moved, cut off or given back to the system.
#include "PageCacheParts.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { parked_most = 2, recent_most = 8, table_leaf = 0x0d, index_leaf = 0x0a };

typedef struct {
    sqlite3_pcache_page *page;
    unsigned key;
} keyed_page;

typedef struct {
    sqlite3_pcache *pages;
    /// How many pages SQLite wants to be kept.
    int wanted;
    int parked_count;
    keyed_page parked[parked_most];
    /// The last pages asked for, since a page that is given back comes without its key.
    keyed_page recent[recent_most];
    unsigned asked;
} leaf_cache;

static sqlite3_pcache_methods2 base;

static keyed_page unpark(leaf_cache *cache, int index) {
    keyed_page taken = cache->parked[index];
    cache->parked[index] = cache->parked[--cache->parked_count];
    return taken;
}

/// Gives the default cache all it has again.
static void unpark_all(leaf_cache *cache) {
    while (cache->parked_count > 0) base.xUnpin(cache->pages, unpark(cache, 0).page, 1);
}

static sqlite3_pcache_page *remember(leaf_cache *cache, sqlite3_pcache_page *page, unsigned key) {
    if (page != NULL) cache->recent[cache->asked++ % recent_most] = (keyed_page){page, key};
    return page;
}

static sqlite3_pcache *leaf_create(int page_size, int extra_size, int purgeable) {
    leaf_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL) return NULL;
    cache->wanted = INT_MAX;
    cache->pages = base.xCreate(page_size, extra_size, purgeable);
    if (cache->pages != NULL) return (sqlite3_pcache *)cache;
    free(cache);
    return NULL;
}

static void leaf_set_size(sqlite3_pcache *self, int wanted) {
    leaf_cache *cache = (leaf_cache *)self;
    cache->wanted = wanted;
    base.xCachesize(cache->pages, wanted);
}

static int leaf_count(sqlite3_pcache *self) { return base.xPagecount(((leaf_cache *)self)->pages); }

static sqlite3_pcache_page *leaf_fetch(sqlite3_pcache *self, unsigned key, int create) {
    leaf_cache *cache = (leaf_cache *)self;
    if (cache->parked_count == 0) return remember(cache, base.xFetch(cache->pages, key, create), key);
    for (int i = 0; i < cache->parked_count; i++)
        if (cache->parked[i].key == key) return remember(cache, unpark(cache, i).page, key);
    sqlite3_pcache_page *page = base.xFetch(cache->pages, key, 0);
    if (page == NULL && create) {
        keyed_page taken = unpark(cache, cache->parked_count - 1);
        base.xRekey(cache->pages, taken.page, taken.key, key);
        page = taken.page;
        // Zeros tell SQLite that the page is new.
        memset(page->pExtra, 0, 8);
    }
    return remember(cache, page, key);
}

static bool is_leaf(const sqlite3_pcache_page *page) {
    unsigned char kind = *(const unsigned char *)page->pBuf;
    return kind == table_leaf || kind == index_leaf;
}

static void leaf_unpin(sqlite3_pcache *self, sqlite3_pcache_page *page, int discard) {
    leaf_cache *cache = (leaf_cache *)self;
    if (!discard && page_cache_is_only() && cache->parked_count < parked_most && is_leaf(page) &&
        base.xPagecount(cache->pages) + 1 >= cache->wanted) {
        // The newest first: a buffer may have had other keys before.
        for (unsigned back = 1; back <= recent_most; back++) {
            keyed_page asked = cache->recent[(cache->asked - back) % recent_most];
            if (asked.page != page) continue;
            cache->parked[cache->parked_count++] = asked;
            return;
        }
    }
    base.xUnpin(cache->pages, page, discard);
}

static void leaf_rekey(sqlite3_pcache *self, sqlite3_pcache_page *page, unsigned old, unsigned new) {
    leaf_cache *cache = (leaf_cache *)self;
    unpark_all(cache);
    base.xRekey(cache->pages, page, old, new);
    remember(cache, page, new);
}

static void leaf_truncate(sqlite3_pcache *self, unsigned limit) {
    leaf_cache *cache = (leaf_cache *)self;
    unpark_all(cache);
    base.xTruncate(cache->pages, limit);
}

static void leaf_destroy(sqlite3_pcache *self) {
    leaf_cache *cache = (leaf_cache *)self;
    base.xDestroy(cache->pages);
    free(cache);
}

static void leaf_shrink(sqlite3_pcache *self) {
    leaf_cache *cache = (leaf_cache *)self;
    unpark_all(cache);
    base.xShrink(cache->pages);
}

void leaf_buffers_install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &base) != SQLITE_OK) return;
    sqlite3_pcache_methods2 methods = base;
    methods.xCreate = leaf_create;
    methods.xCachesize = leaf_set_size;
    methods.xPagecount = leaf_count;
    methods.xFetch = leaf_fetch;
    methods.xUnpin = leaf_unpin;
    methods.xRekey = leaf_rekey;
    methods.xTruncate = leaf_truncate;
    methods.xDestroy = leaf_destroy;
    methods.xShrink = leaf_shrink;
    sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}
