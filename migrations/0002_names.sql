-- The words of the field for tables, columns and indexes. Rows stay as they are.
ALTER TABLE words RENAME TO strings;
DROP INDEX words_value;
CREATE UNIQUE INDEX strings_value ON strings (kind, value);

ALTER TABLE subjects RENAME TO resources;
DROP INDEX subjects_value;
CREATE UNIQUE INDEX resources_value ON resources (type, title, path);
ALTER TABLE events RENAME COLUMN subject TO resource;
ALTER TABLE report_causes RENAME COLUMN subject TO resource;

DROP INDEX reports_odd;
DROP INDEX reports_odd_node;
DROP INDEX reports_late;
DROP INDEX reports_late_node;
ALTER TABLE reports RENAME COLUMN odd TO clock_flags;
ALTER TABLE hour_counts RENAME COLUMN odd TO clock_flags;
CREATE INDEX reports_skewed ON reports (max(start_time, end_time)) WHERE clock_flags & 1;
CREATE INDEX reports_skewed_node ON reports (node, max(start_time, end_time)) WHERE clock_flags & 1;
CREATE INDEX reports_late ON reports (receive_time) WHERE clock_flags & 2;
CREATE INDEX reports_late_node ON reports (node, receive_time) WHERE clock_flags & 2;

ALTER TABLE sweeps RENAME TO retention_progress;
ALTER TABLE retention_progress RENAME COLUMN name TO rule;
ALTER TABLE spared_reports RENAME TO protected_reports;
ALTER TABLE protected_reports RENAME COLUMN sweep TO rule;
