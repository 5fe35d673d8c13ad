-- The SHA-256 of each migration's file as it was applied here: a released migration never changes.
CREATE TABLE migration_checksums (
  name TEXT PRIMARY KEY NOT NULL,
  checksum TEXT NOT NULL
) WITHOUT ROWID;
