-- The agent, the code and the producer of a node's latest report: pages that count a fleet by them read the latest report of
-- each node, and the names of its code, which was seven rows a node.
ALTER TABLE nodes ADD COLUMN agent_version INTEGER;
ALTER TABLE nodes ADD COLUMN code_id INTEGER;
ALTER TABLE nodes ADD COLUMN configuration_version TEXT;
ALTER TABLE nodes ADD COLUMN cached_catalog_status INTEGER;
ALTER TABLE nodes ADD COLUMN producer INTEGER;
UPDATE nodes SET (agent_version, code_id, configuration_version, cached_catalog_status, producer) = (
  SELECT r.agent_version, r.code_id, r.configuration_version, r.cached_catalog_status, r.producer FROM reports r WHERE r.id = nodes.latest
)
WHERE latest IS NOT NULL;
