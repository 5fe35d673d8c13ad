/** What a database is asked for to compare it with the code (schema.ts). */

/** SQL for the columns and indexes of a database, as rows of `line`. */
export const SCHEMA_QUERY = `select m.name || '.' || c.name || ' ' || lower(c.type) || iif(c."notnull", ' not null', '') || iif(c.pk, ' key ' || c.pk, '') as line
from sqlite_master m join pragma_table_xinfo(m.name) c
where m.type = 'table' and m.name not like 'sqlite~_%' escape '~' and m.name not like '~_cf~_%' escape '~' and m.name <> 'd1_migrations'
union all select 'index ' || sql from sqlite_master where type = 'index' and sql is not null`

/** SQL for the checksums that a database has of its migrations. */
export const CHECKSUMS_QUERY = 'select name, checksum from migration_checksums'
