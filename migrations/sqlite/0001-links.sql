-- The first schema: links, who owns them, how often they were followed, and how they are grouped.
-- Times are seconds since 1970, UTC. A migration that was released is never edited: its digest is recorded where it ran.

CREATE TABLE migration (
    number  INTEGER PRIMARY KEY,
    name    TEXT    NOT NULL,
    digest  BLOB    NOT NULL,  -- SHA-256 of the file
    applied INTEGER NOT NULL
) STRICT;

CREATE TABLE account (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    password TEXT,               -- NULL: this account cannot sign in with one
    created  INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
    id      INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id),
    label   TEXT    NOT NULL,
    digest  BLOB    NOT NULL,    -- SHA-256 of the secret, which is kept nowhere
    created INTEGER NOT NULL,
    revoked INTEGER
) STRICT;

-- A revoked secret may be given out again; a live one leads to one account.
CREATE UNIQUE INDEX api_key_live ON api_key (digest) WHERE revoked IS NULL;

-- Kept small, because there are millions: every column costs a byte of the record's header, and 0, 1 and NULL nothing more.
-- Rows are never deleted, so no id ever names two links. A removed row keeps its slug, so that it is not generated again,
-- until somebody chooses that very slug: then the old row's becomes NULL.
CREATE TABLE link (
    id       INTEGER PRIMARY KEY,
    slug     TEXT UNIQUE,
    url      TEXT    NOT NULL,
    title    TEXT,
    created  INTEGER NOT NULL,
    expires  INTEGER,
    owner    INTEGER REFERENCES account (id),
    listed   INTEGER NOT NULL,   -- 1: the public listings show it; 0 once removed
    removed  INTEGER,
    squeezed INTEGER             -- 1: the account has one short URL for this URL
) STRICT;

CREATE INDEX link_listed ON link (listed) WHERE listed = 1;
CREATE UNIQUE INDEX link_squeezed ON link (owner, url) WHERE squeezed = 1 AND removed IS NULL;
-- The same links in the order they were made, for an account's report. Over all links it would cost ten bytes of each.
CREATE INDEX link_squeezed_owner ON link (owner) WHERE squeezed = 1 AND removed IS NULL;

-- Visits. A narrow table by row number, without a foreign key: folding clicks must not look up every link.
CREATE TABLE click (
    link INTEGER PRIMARY KEY,
    n    INTEGER NOT NULL
) STRICT;

-- Visits not yet in `click`: pairs of link and count, ascending by link, each a variable-length integer, the link as the
-- difference to the one before.
CREATE TABLE click_batch (
    id     INTEGER PRIMARY KEY,
    packed BLOB NOT NULL
) STRICT;

-- How far a folding that was cut short has come: in batches up to `through`, links under `below` are already in `click`.
CREATE TABLE click_fold (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    through INTEGER NOT NULL,
    below   INTEGER NOT NULL
) STRICT;

INSERT INTO click_fold VALUES (1, 0, 0);

CREATE TABLE tag (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE link_tag (
    link INTEGER NOT NULL REFERENCES link (id),
    tag  INTEGER NOT NULL REFERENCES tag (id),
    PRIMARY KEY (link, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_tag_tag ON link_tag (tag, link);

CREATE TABLE collection (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    public   INTEGER NOT NULL,
    revision INTEGER NOT NULL,   -- moves with every change of what its listing shows
    created  INTEGER NOT NULL
) STRICT;

CREATE TABLE collection_link (
    collection INTEGER NOT NULL REFERENCES collection (id),
    position   INTEGER NOT NULL,
    link       INTEGER NOT NULL REFERENCES link (id),
    PRIMARY KEY (collection, position)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX collection_link_link ON collection_link (link, collection);

-- When and where what a link is about takes place. Days as yyyy-mm-dd.
CREATE TABLE event (
    id          INTEGER PRIMARY KEY,
    link        INTEGER NOT NULL REFERENCES link (id),
    first_day   TEXT    NOT NULL,
    last_day    TEXT    NOT NULL,
    instructors TEXT    NOT NULL,
    location    TEXT    NOT NULL
) STRICT;

CREATE INDEX event_link ON event (link, first_day);

-- Rewritten to find out whether the file can be written.
CREATE TABLE health (
    only   INTEGER PRIMARY KEY CHECK (only = 1),
    probed INTEGER NOT NULL
) STRICT;

INSERT INTO health VALUES (1, 0);
