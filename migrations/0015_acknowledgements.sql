-- Causes that somebody works on, by the name of the cause. `until` is when the acknowledgement ends, `nodes` how many nodes
-- failed by the cause when it was acknowledged, and `back` when it was found to have grown since; null where it has not.
CREATE TABLE acknowledgements (
  cause TEXT PRIMARY KEY NOT NULL,
  note TEXT NOT NULL,
  author TEXT NOT NULL,
  created INTEGER NOT NULL,
  until INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  back INTEGER
) WITHOUT ROWID;
