-- A redirect finds all it needs in one row, by its slug as a number, instead of in an entry of an index and a row of `link`: it
-- reads one page less, and an add writes as few as before. Links with longer slugs are found by an index still.

-- Links whose slugs have up to ten characters. Whoever stores one enters it here first, which keeps slugs unique: a trigger would do
-- it whoever writes, but takes too much of an add's time. What changes in a link comes here by triggers.
CREATE TABLE target (
    key  INTEGER PRIMARY KEY,    -- the slug's number, as in `link_target`
    link INTEGER NOT NULL,
    url  TEXT                    -- NULL: the link is removed, but its slug is not free
) STRICT;

-- What `target` has to hold. The number has the slug's characters as its digits, to the base of 67: 1 to 66 in the order of their
-- bytes, and 0 behind the slug's end, for which instr() answers 1 as it does for a space. So numbers sort as slugs do.
CREATE VIEW link_target (key, link, url, slug) AS
    SELECT
        27206534396294947 * (instr(digits, substr(slug, 1, 1)) - 1)
            + 406067677556641 * (instr(digits, substr(slug, 2, 1)) - 1)
            + 6060711605323 * (instr(digits, substr(slug, 3, 1)) - 1)
            + 90458382169 * (instr(digits, substr(slug, 4, 1)) - 1)
            + 1350125107 * (instr(digits, substr(slug, 5, 1)) - 1)
            + 20151121 * (instr(digits, substr(slug, 6, 1)) - 1)
            + 300763 * (instr(digits, substr(slug, 7, 1)) - 1)
            + 4489 * (instr(digits, substr(slug, 8, 1)) - 1)
            + 67 * (instr(digits, substr(slug, 9, 1)) - 1)
            + (instr(digits, substr(slug, 10, 1)) - 1),
        id, CASE WHEN removed IS NULL THEN url END, slug
    FROM link CROSS JOIN (SELECT ' -.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~' AS digits)
    -- A text that is no slug has no number; only somebody else can have stored it.
    WHERE length(slug) BETWEEN 1 AND 10 AND length(CAST(slug AS BLOB)) = length(slug) AND slug NOT GLOB '*[^-.0-9A-Z_a-z~]*';

INSERT INTO target SELECT key, link, url FROM link_target ORDER BY slug;

-- SQLite drops the index of a UNIQUE column with its table only. Rows stay as they are, and so does what refers to them: foreign keys
-- are off during migrations.
CREATE TABLE link_anew (
    id       INTEGER PRIMARY KEY,
    slug     TEXT,               -- of one link only, by `target` and `link_long_slug`
    url      TEXT    NOT NULL,
    title    TEXT,
    created  INTEGER NOT NULL,
    expires  INTEGER,
    owner    INTEGER REFERENCES account (id),
    listed   INTEGER NOT NULL,   -- 1: the public listings show it; 0 once removed
    removed  INTEGER,
    squeezed INTEGER             -- 1: the account has one short URL for this URL
) STRICT;

INSERT INTO link_anew SELECT * FROM link;
DROP TABLE link;
-- The view names a table that is not there at this moment, which SQLite minds otherwise.
PRAGMA legacy_alter_table = ON;
ALTER TABLE link_anew RENAME TO link;
PRAGMA legacy_alter_table = OFF;

CREATE UNIQUE INDEX link_long_slug ON link (slug) WHERE length(slug) > 10;
-- As they were.
CREATE UNIQUE INDEX link_squeezed ON link (owner, url) WHERE squeezed = 1 AND removed IS NULL;
CREATE INDEX link_squeezed_owner ON link (owner) WHERE squeezed = 1 AND removed IS NULL;

CREATE TRIGGER member_changed AFTER UPDATE OF slug, url, title ON link BEGIN
    UPDATE collection SET revision = revision + 1
        WHERE id IN (SELECT collection FROM collection_link WHERE link = NEW.id);
END;

CREATE TRIGGER link_removed AFTER UPDATE OF removed ON link WHEN NEW.removed IS NOT NULL BEGIN
    DELETE FROM collection_link WHERE link = NEW.id;
END;

CREATE TRIGGER target_leaves BEFORE UPDATE OF id, slug, url, removed ON link BEGIN
    DELETE FROM target WHERE key = (SELECT key FROM link_target WHERE link = OLD.id);
END;

CREATE TRIGGER target_returns AFTER UPDATE OF id, slug, url, removed ON link BEGIN
    INSERT INTO target SELECT key, link, url FROM link_target WHERE link = NEW.id;
END;

CREATE TRIGGER target_ends BEFORE DELETE ON link BEGIN
    DELETE FROM target WHERE key = (SELECT key FROM link_target WHERE link = OLD.id);
END;
