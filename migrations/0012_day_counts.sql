-- The counts of whole days, so that totals over all history read a row a day instead of some twelve an hour.
-- Housekeeping makes the rows; hour_counts stays what they are made of.
CREATE TABLE day_counts (
  day INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  groups TEXT NOT NULL
);
