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

-- What a link is about, for the few that say so.
CREATE TABLE description (
    link INTEGER PRIMARY KEY REFERENCES link (id),
    text TEXT    NOT NULL
) STRICT;

CREATE TABLE tag (
    id   INTEGER PRIMARY KEY,  -- from 1: 0 stands for all tags in `tagged_member`
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE link_tag (
    link INTEGER NOT NULL REFERENCES link (id),
    tag  INTEGER NOT NULL REFERENCES tag (id),
    PRIMARY KEY (link, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_tag_tag ON link_tag (tag, link);

-- AUTOINCREMENT: no id ever names two collections, so that an id with a revision names one state for ever.
CREATE TABLE collection (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT    NOT NULL UNIQUE,
    public   INTEGER NOT NULL,
    revision INTEGER NOT NULL,   -- moves with every change of what its listing shows: see the triggers
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

-- The members of a collection that carry a tag, numbered from 0 without a gap, so that a random number names one of them at
-- the cost of a look-up. Tag 0 is carried by all members. Written by the triggers alone.
CREATE TABLE tagged_member (
    collection INTEGER NOT NULL,
    tag        INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    link       INTEGER NOT NULL,
    PRIMARY KEY (collection, tag, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX tagged_member_link ON tagged_member (link, collection, tag);

-- The triggers keep `revision` and `tagged_member` true whoever writes. A place that becomes free in `tagged_member` is taken by
-- the last of its list, whose own place then goes.

CREATE TRIGGER member_added AFTER INSERT ON collection_link BEGIN
    UPDATE collection SET revision = revision + 1 WHERE id = NEW.collection;
    INSERT INTO tagged_member VALUES (NEW.collection, 0,
        (SELECT coalesce(max(ordinal) + 1, 0) FROM tagged_member WHERE collection = NEW.collection AND tag = 0), NEW.link);
    INSERT INTO tagged_member
        SELECT NEW.collection, t.tag,
            (SELECT coalesce(max(m.ordinal) + 1, 0) FROM tagged_member m WHERE m.collection = NEW.collection AND m.tag = t.tag),
            NEW.link
        FROM link_tag t WHERE t.link = NEW.link;
END;

CREATE TRIGGER member_removed AFTER DELETE ON collection_link BEGIN
    UPDATE collection SET revision = revision + 1 WHERE id = OLD.collection;
    UPDATE tagged_member
        SET link = (SELECT m.link FROM tagged_member m
            WHERE m.collection = tagged_member.collection AND m.tag = tagged_member.tag ORDER BY m.ordinal DESC LIMIT 1)
        WHERE link = OLD.link AND collection = OLD.collection;
    DELETE FROM tagged_member
        WHERE collection = OLD.collection AND (tag, ordinal) IN (
            SELECT t.tag,
                (SELECT max(m.ordinal) FROM tagged_member m WHERE m.collection = OLD.collection AND m.tag = t.tag)
            FROM (SELECT 0 AS tag UNION ALL SELECT tag FROM link_tag WHERE link = OLD.link) t);
END;

CREATE TRIGGER tag_added AFTER INSERT ON link_tag BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = NEW.link);
    INSERT INTO tagged_member
        SELECT c.collection, NEW.tag,
            (SELECT coalesce(max(m.ordinal) + 1, 0) FROM tagged_member m WHERE m.collection = c.collection AND m.tag = NEW.tag),
            NEW.link
        FROM collection_link c WHERE c.link = NEW.link;
END;

CREATE TRIGGER tag_removed AFTER DELETE ON link_tag BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = OLD.link);
    UPDATE tagged_member
        SET link = (SELECT m.link FROM tagged_member m
            WHERE m.collection = tagged_member.collection AND m.tag = tagged_member.tag ORDER BY m.ordinal DESC LIMIT 1)
        WHERE link = OLD.link AND tag = OLD.tag;
    DELETE FROM tagged_member
        WHERE tag = OLD.tag AND (collection, ordinal) IN (
            SELECT c.collection,
                (SELECT max(m.ordinal) FROM tagged_member m WHERE m.collection = c.collection AND m.tag = OLD.tag)
            FROM collection_link c WHERE c.link = OLD.link);
END;

CREATE TRIGGER member_changed AFTER UPDATE OF slug, url, title ON link BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = NEW.id);
END;

CREATE TRIGGER link_removed AFTER UPDATE OF removed ON link WHEN NEW.removed IS NOT NULL BEGIN
    DELETE FROM collection_link WHERE link = NEW.id;
END;

CREATE TRIGGER event_added AFTER INSERT ON event BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = NEW.link);
END;

CREATE TRIGGER event_changed AFTER UPDATE ON event BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link IN (OLD.link, NEW.link));
END;

CREATE TRIGGER event_removed AFTER DELETE ON event BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = OLD.link);
END;

-- Rewritten to find out whether the file can be written.
CREATE TABLE health (
    only   INTEGER PRIMARY KEY CHECK (only = 1),
    probed INTEGER NOT NULL
) STRICT;

INSERT INTO health VALUES (1, 0);
