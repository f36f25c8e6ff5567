-- Superset's own questions, beside those of SQLAlchemy (sqlalchemy.sql). Written from what the program does, in words of our own; not captured.

-- test the connection
SELECT 1;

-- schemas of a user
SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema' ORDER BY nspname;

-- databases
SELECT datname FROM pg_database WHERE datistemplate = false;

-- views of a schema
SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('v', 'm') ORDER BY c.relname;
