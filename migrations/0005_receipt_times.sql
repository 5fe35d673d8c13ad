-- Nodes show when their catalog and facts were received, as PuppetDB does; which of two is newer still follows from
-- their producer timestamps. Of what is stored already, only that one is known.
ALTER TABLE nodes RENAME COLUMN catalog_timestamp TO catalog_producer_timestamp;
ALTER TABLE nodes RENAME COLUMN facts_timestamp TO facts_producer_timestamp;
ALTER TABLE nodes ADD COLUMN catalog_timestamp INTEGER;
ALTER TABLE nodes ADD COLUMN facts_timestamp INTEGER;
UPDATE nodes SET catalog_timestamp = catalog_producer_timestamp, facts_timestamp = facts_producer_timestamp
WHERE catalog_producer_timestamp IS NOT NULL OR facts_producer_timestamp IS NOT NULL;
