-- The environment of a node's catalog; of its latest report where no catalog was sent.
ALTER TABLE nodes ADD COLUMN shown_catalog_environment INTEGER
  GENERATED ALWAYS AS (iif(catalog_producer_timestamp IS NULL, environment, catalog_environment)) VIRTUAL;
