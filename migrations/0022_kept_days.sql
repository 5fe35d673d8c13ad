-- The runs of each day that were deleted, by what hours are counted by: the counts of a day are these and those of the reports
-- that are still stored. Whatever deletes reports adds them here in the same transaction, so that a late report of an old day
-- counts beside them. A row for each day, with lists as in day_counts: a batch that deletes reports of a day writes one row.
CREATE TABLE kept_days (
  day INTEGER PRIMARY KEY,
  groups TEXT NOT NULL
);

-- The failed runs of each day that were deleted, by cause and environment: `nodes` is the most of a batch, `first` and `last`
-- are times in ms. The cause is its name, which outlives its row in `causes`.
CREATE TABLE cause_days (
  day INTEGER NOT NULL,
  cause TEXT NOT NULL,
  environment INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (day, cause, environment)
) WITHOUT ROWID;
CREATE INDEX cause_days_cause ON cause_days (cause);

-- The day from which on both know every deleted run. No row: all that were ever deleted. Retention has deleted reports of the days
-- before that; keys are milliseconds * 1024.
CREATE TABLE kept_since (
  id INTEGER PRIMARY KEY,
  day INTEGER NOT NULL
);
INSERT INTO kept_since (id, day)
SELECT 1, (max(cursor) + 88473599999) / 88473600000 FROM retention_progress WHERE rule LIKE 'reports %' HAVING max(cursor) > 0;
