-- What the senders of whole reports say beyond PuppetDB's: the resources that took longest, as {resource id: ms}, and
-- sentences about what was left out of a report.
ALTER TABLE reports ADD COLUMN slowest TEXT;
ALTER TABLE reports ADD COLUMN warnings TEXT;

CREATE TABLE refusals (
  sender TEXT NOT NULL,
  certname TEXT NOT NULL,
  reason TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (sender, certname)
) WITHOUT ROWID;
CREATE TABLE losses (
  kind TEXT PRIMARY KEY NOT NULL,
  count INTEGER NOT NULL
) WITHOUT ROWID;
