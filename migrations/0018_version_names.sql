-- The version that a reported text names: the commit in it, so that one commit printed by several compilers is one version.
-- Null where the text itself is the version.
ALTER TABLE code_versions ADD COLUMN name TEXT;

-- As worker/lib/code-version.ts finds it: words of 7 to 64 hex digits that are no time; a whole commit, else the last one.
WITH RECURSIVE walk AS (
  SELECT environment, version, lower(version) || ' ' AS text, 1 AS place, '' AS word, NULL AS ended FROM code_versions
  UNION ALL
  SELECT environment, version, text, place + 1,
    iif(substr(text, place, 1) GLOB '[0-9a-z]', word || substr(text, place, 1), ''),
    iif(substr(text, place, 1) GLOB '[0-9a-z]', NULL, word)
  FROM walk WHERE place <= length(text)
)
UPDATE code_versions SET name = found.ended FROM (
  SELECT environment, version, ended, row_number() OVER (
    PARTITION BY environment, version ORDER BY length(ended) = 40 DESC, iif(length(ended) = 40, place, -place)) AS number
  FROM walk
  WHERE length(ended) BETWEEN 7 AND 64 AND ended NOT GLOB '*[^0-9a-f]*'
    AND NOT (ended NOT GLOB '*[a-f]*' AND (ended GLOB '1*' AND length(ended) IN (10, 13) OR ended GLOB '20*' AND length(ended) IN (8, 12, 14)))
) found
WHERE found.number = 1 AND found.environment = code_versions.environment AND found.version = code_versions.version
  AND found.ended <> code_versions.version;

-- Whether the server refused to compile a catalog: such a failure is of the code that was being rolled out.
ALTER TABLE causes ADD COLUMN catalog INTEGER;
