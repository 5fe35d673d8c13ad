-- Sessions of the console that were signed out before their end: their cookies are good no more.
CREATE TABLE ended_sessions (
  signature TEXT PRIMARY KEY NOT NULL,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
