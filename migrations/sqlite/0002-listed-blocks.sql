-- Listed links are found by blocks of 64 ids instead of one index entry each, so that an add hardly ever writes a page for it.

-- A block that holds a link which is listed, or was. Whoever stores a listed link enters its block: a trigger would do it whoever
-- writes, but takes a twentieth of an add's time.
CREATE TABLE listed_block (
    number INTEGER PRIMARY KEY   -- the ids from 64 * number on
) STRICT;

INSERT INTO listed_block SELECT DISTINCT id / 64 FROM link WHERE listed = 1;

DROP INDEX link_listed;
