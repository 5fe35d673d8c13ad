-- When each cause and each drift of a resource was first and last seen in an environment, in ms: it outlives the reports.
-- `kind` is 1 for a cause, whose `name` is that in `causes`, and 3 for drift, whose name is `Type[title]`. The environment is
-- its name, so that a row keeps no string.
CREATE TABLE sightings (
  kind INTEGER NOT NULL,
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (kind, name, environment)
) WITHOUT ROWID;

-- The hour from which on sightings are known. No row: over all runs that were ever stored. Housekeeping lowers it to the
-- first hour that is stored when this migration is applied; of hours before that nothing is known.
CREATE TABLE sightings_since (
  id INTEGER PRIMARY KEY,
  hour INTEGER NOT NULL
);
INSERT INTO sightings_since (id, hour) SELECT 1, max(hour) + 1 FROM hour_counts HAVING count(*) > 0;

-- Failures and drift of closed hours, counted by cause (kind 1), by class (2) and by drifting resource (3). Kind 0 marks the
-- hours that are counted; hours without it are read from their reports.
CREATE TABLE hour_groups (
  kind INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  part INTEGER NOT NULL,
  groups TEXT NOT NULL,
  PRIMARY KEY (kind, hour, environment, part)
) WITHOUT ROWID;
