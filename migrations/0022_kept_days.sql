-- The runs of each day that were deleted, by what hours are counted by: the counts of a day are these and those of the reports
-- that are still stored. Whatever deletes reports adds them here in the same transaction, so that a late report of an old day
-- counts beside them. -1 means null. Reports that were deleted before this migration are not in it.
CREATE TABLE kept_days (
  day INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  status INTEGER NOT NULL,
  noop INTEGER NOT NULL,
  noop_pending INTEGER NOT NULL,
  type INTEGER NOT NULL,
  clock_flags INTEGER NOT NULL,
  state INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, environment, status, noop, noop_pending, type, clock_flags, state)
) WITHOUT ROWID;
