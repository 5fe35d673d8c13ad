-- Tells isolates whether what they remember is of this database, or of a state that a restore has undone.
CREATE TABLE generations (
  number INTEGER PRIMARY KEY,
  token TEXT NOT NULL,
  strings INTEGER NOT NULL,
  resources INTEGER NOT NULL,
  metric_sets INTEGER NOT NULL,
  nodes INTEGER NOT NULL
);
INSERT INTO generations (number, token, strings, resources, metric_sets, nodes)
VALUES (1, hex(randomblob(8)), 0, 0, 0, 0);
