-- The files of months that were compacted from days, as they are in object storage, which is the truth where the two
-- differ. `first_day` is the number of the month's first day; `days` lists the rows of each day, from that day on; `first`
-- and `last` are certnames of `reports`, which is sorted by them, and empty of other tables.
CREATE TABLE history_months (
  first_day INTEGER NOT NULL,
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  days TEXT NOT NULL,
  written INTEGER NOT NULL,
  PRIMARY KEY (first_day, name, part)
) WITHOUT ROWID;
