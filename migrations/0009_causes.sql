-- Causes and states follow from rules, which change. A cause knows the version of the rules that made it.
ALTER TABLE causes ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;

-- How far reports were grouped anew by a version of the rules: down to the key in `cursor`, or all where it is null.
CREATE TABLE regrouping (
  rules INTEGER PRIMARY KEY NOT NULL,
  cursor INTEGER
);
