-- Views: pages with their scope and filters, under a title that everyone sees.
CREATE TABLE saved_views (
  title TEXT PRIMARY KEY NOT NULL,
  address TEXT NOT NULL,
  saved INTEGER NOT NULL
) WITHOUT ROWID;
