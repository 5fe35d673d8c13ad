-- One row for each reason: of what a sender was refused for different reasons, the last hid the others.
CREATE TABLE refusals_by_reason (
  sender TEXT NOT NULL,
  certname TEXT NOT NULL,
  reason TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (sender, certname, reason)
) WITHOUT ROWID;
INSERT INTO refusals_by_reason SELECT sender, certname, reason, first, last, count FROM refusals;
DROP TABLE refusals;
ALTER TABLE refusals_by_reason RENAME TO refusals;
