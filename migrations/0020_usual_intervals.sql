-- The usual time between two runs of a node, in ms: the median of the times between the runs of its strip. It was computed for
-- each late node whenever a page was read, which cost 80 to 280 rows for each.
ALTER TABLE nodes ADD COLUMN usual INTEGER;
UPDATE nodes SET usual = (
  SELECT ((ordered ->> ((count - 1) / 2)) + (ordered ->> (count / 2))) * 500
  FROM (
    SELECT json_group_array(distance ORDER BY distance) AS ordered, count(*) AS count
    FROM (
      SELECT (('0x' || substr(strip, 1 + 14 * place, 8)) ->> '$') - (('0x' || substr(strip, 15 + 14 * place, 8)) ->> '$') AS distance
      FROM (SELECT hex(nodes.runs) AS strip)
      CROSS JOIN (WITH RECURSIVE places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < 30) SELECT place FROM places)
      WHERE 14 * (place + 2) <= length(strip)
    )
  )
)
WHERE runs IS NOT NULL;

-- Nodes whose latest run failed: pages that list them read all nodes without it.
CREATE INDEX nodes_failed ON nodes (id) WHERE state & 3 = 3;
