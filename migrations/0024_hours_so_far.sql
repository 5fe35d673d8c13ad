-- The key up to which an open hour is counted by the row of kind 8 in hour_groups, if that has the same key. A report that
-- comes late sets it to 0.
ALTER TABLE open_hours ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
