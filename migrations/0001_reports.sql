CREATE TABLE words (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  value TEXT NOT NULL
);
CREATE UNIQUE INDEX words_value ON words (kind, value);

CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  class TEXT
);
CREATE UNIQUE INDEX subjects_value ON subjects (type, title, path);

CREATE TABLE metric_sets (
  id INTEGER PRIMARY KEY,
  names TEXT NOT NULL
);
CREATE UNIQUE INDEX metric_sets_names ON metric_sets (names);

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certname TEXT NOT NULL,
  latest INTEGER,
  deactivated INTEGER,
  expired INTEGER,
  catalog_environment INTEGER,
  catalog_timestamp INTEGER,
  facts_environment INTEGER,
  facts_timestamp INTEGER,
  state INTEGER,
  environment INTEGER,
  good INTEGER,
  newest INTEGER,
  runs BLOB
);
CREATE UNIQUE INDEX nodes_certname ON nodes (certname);
CREATE INDEX nodes_inactive ON nodes (id) WHERE deactivated IS NOT NULL OR expired IS NOT NULL;

CREATE TABLE reports (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  node INTEGER NOT NULL,
  status INTEGER,
  environment INTEGER NOT NULL,
  producer INTEGER,
  agent_version INTEGER NOT NULL,
  report_format INTEGER NOT NULL,
  type INTEGER NOT NULL,
  configuration_version TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  end_time INTEGER NOT NULL,
  receive_time INTEGER NOT NULL,
  producer_timestamp INTEGER,
  transaction_uuid BLOB,
  catalog_uuid BLOB,
  code_id INTEGER,
  cached_catalog_status INTEGER,
  noop INTEGER,
  noop_pending INTEGER,
  corrective_change INTEGER,
  job_id TEXT,
  events INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  noops INTEGER NOT NULL,
  skips INTEGER NOT NULL,
  odd INTEGER NOT NULL,
  state INTEGER NOT NULL,
  metric_set INTEGER,
  body BLOB
);
CREATE INDEX reports_hash ON reports (substr(hash, 1, 6));
CREATE INDEX reports_node ON reports (node);
CREATE INDEX reports_end ON reports (end_time, status, environment, noop, noop_pending, type, node, start_time);
CREATE INDEX reports_odd ON reports (max(start_time, end_time)) WHERE odd & 1;
CREATE INDEX reports_odd_node ON reports (node, max(start_time, end_time)) WHERE odd & 1;
CREATE INDEX reports_late ON reports (receive_time) WHERE odd & 2;
CREATE INDEX reports_late_node ON reports (node, receive_time) WHERE odd & 2;
CREATE INDEX reports_moved ON reports (producer_timestamp) WHERE producer_timestamp IS NOT NULL;
CREATE INDEX reports_notable ON reports (state) WHERE state NOT IN (0, 1, 4);

CREATE TABLE open_hours (
  hour INTEGER PRIMARY KEY
);

CREATE TABLE hour_counts (
  hour INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  status INTEGER NOT NULL,
  noop INTEGER NOT NULL,
  noop_pending INTEGER NOT NULL,
  type INTEGER NOT NULL,
  odd INTEGER NOT NULL,
  state INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, environment, status, noop, noop_pending, type, odd, state)
) WITHOUT ROWID;

CREATE TABLE body_parts (
  report INTEGER NOT NULL,
  part INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (report, part)
) WITHOUT ROWID;

CREATE TABLE events (
  report INTEGER NOT NULL,
  n INTEGER NOT NULL,
  status INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  file INTEGER,
  line INTEGER,
  property INTEGER,
  name INTEGER,
  timestamp INTEGER NOT NULL,
  corrective_change INTEGER,
  old_value TEXT,
  new_value TEXT,
  message TEXT,
  long INTEGER,
  PRIMARY KEY (report, n)
) WITHOUT ROWID;

CREATE TABLE long_values (
  report INTEGER NOT NULL,
  n INTEGER NOT NULL,
  field TEXT NOT NULL,
  part INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (report, n, field, part)
) WITHOUT ROWID;

CREATE TABLE sweeps (
  name TEXT PRIMARY KEY NOT NULL,
  cursor INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE spared_reports (
  sweep TEXT NOT NULL,
  report INTEGER NOT NULL,
  PRIMARY KEY (sweep, report)
) WITHOUT ROWID;

CREATE TABLE leases (
  name TEXT PRIMARY KEY NOT NULL,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE ignored_commands (
  command TEXT PRIMARY KEY NOT NULL,
  count INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE causes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  first INTEGER NOT NULL
);
CREATE UNIQUE INDEX causes_name ON causes (name);

CREATE TABLE report_causes (
  cause INTEGER NOT NULL,
  report INTEGER NOT NULL,
  events INTEGER NOT NULL,
  event INTEGER,
  log INTEGER,
  subject INTEGER,
  file INTEGER,
  line INTEGER,
  PRIMARY KEY (cause, report)
) WITHOUT ROWID;

CREATE TABLE code_versions (
  environment INTEGER NOT NULL,
  version TEXT NOT NULL,
  first INTEGER NOT NULL,
  PRIMARY KEY (environment, version)
) WITHOUT ROWID;

CREATE TABLE saved_queries (
  name TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  query TEXT NOT NULL,
  saved INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE hooks (
  name TEXT PRIMARY KEY NOT NULL,
  transition TEXT NOT NULL,
  hours INTEGER NOT NULL,
  filter TEXT NOT NULL,
  cause TEXT NOT NULL,
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  secret TEXT NOT NULL,
  created INTEGER NOT NULL,
  cursor INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  hook TEXT NOT NULL,
  message TEXT NOT NULL,
  body TEXT NOT NULL,
  created INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next INTEGER,
  delivered INTEGER,
  outcome TEXT
);
