-- Days with reports that the history does not hold yet. Closing an hour adds its day; archiving a day deletes it, which
-- even a full database allows. `changes` tells whether an hour was closed while the day was archived.
CREATE TABLE unarchived_days (
  day INTEGER PRIMARY KEY NOT NULL,
  changes INTEGER NOT NULL
);
INSERT INTO unarchived_days (day, changes)
SELECT DISTINCT cast(floor(hour / 24.0) AS INTEGER), 1 FROM hour_counts;

-- How far a day is archived: `began` is when the pass began that is not finished, with the day's `changes` then; it takes
-- reports received from `since` on and goes on behind the node and report. `complete` is when the last finished pass began.
CREATE TABLE history_days (
  day INTEGER PRIMARY KEY NOT NULL,
  began INTEGER,
  changes INTEGER,
  since INTEGER,
  certname TEXT NOT NULL DEFAULT '',
  report INTEGER NOT NULL DEFAULT 0,
  complete INTEGER
);

-- The parts of each day, as they are in object storage, which is the truth where the two differ.
CREATE TABLE history_parts (
  day INTEGER NOT NULL,
  part INTEGER NOT NULL,
  reports INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  written INTEGER NOT NULL,
  PRIMARY KEY (day, part)
) WITHOUT ROWID;
