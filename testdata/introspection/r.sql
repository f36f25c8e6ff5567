-- RPostgreSQL (0.7), R's DBI driver that Debian has. Seen in the log of a PostgreSQL 15, and written down anew.

-- connect
SET datestyle TO ISO;

-- dbListTables
SELECT tablename FROM pg_tables WHERE schemaname != 'information_schema' AND schemaname != 'pg_catalog';

-- dbExistsTable
SELECT tablename FROM pg_tables WHERE schemaname != 'information_schema' AND schemaname != 'pg_catalog' AND schemaname = 'public' AND tablename = 'visits';

-- dbListFields
SELECT a.attname FROM pg_attribute a, pg_class c, pg_tables t, pg_namespace nsp
WHERE a.attrelid = c.oid AND c.relname = tablename AND c.relnamespace = nsp.oid AND a.attnum > 0 AND nspname = current_schema()
AND schemaname = nspname AND tablename = 'visits';

-- whether a column may be NULL
SELECT attnotnull FROM pg_attribute WHERE attrelid = 'visits'::regclass AND attnum = '2';
