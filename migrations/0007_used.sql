-- The week, counted from 1970 on, in which an entry of a dictionary was last named: housekeeping deletes the entries that
-- nothing refers to any more. Whatever is there counts as named now.
ALTER TABLE strings ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE resources ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric_sets ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE causes ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE code_versions ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE strings SET used = unixepoch() / 604800;
UPDATE resources SET used = unixepoch() / 604800;
UPDATE metric_sets SET used = unixepoch() / 604800;
UPDATE causes SET used = unixepoch() / 604800;
UPDATE code_versions SET used = unixepoch() / 604800;

CREATE TABLE unused_entries_progress (
  id INTEGER PRIMARY KEY,
  before INTEGER NOT NULL,
  step INTEGER NOT NULL,
  cursor INTEGER NOT NULL
);
