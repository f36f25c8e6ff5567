-- Superset (6.1), by SQLAlchemy 1.4, which reflects otherwise than later ones (sqlalchemy.sql). Seen in the log of a PostgreSQL 15, and written down
-- anew, shorter.

-- test the connection
SELECT 1;

-- schemas
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname;

-- tables of a schema
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p');

-- views of a schema
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('v', 'm');

-- the number of a table
SELECT c.oid FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE (n.nspname = 'public') AND c.relname = 'visits' AND c.relkind IN ('r', 'v', 'm', 'f', 'p');

-- columns of a table
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
(SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) AS DEFAULT,
a.attnotnull, a.attrelid AS table_oid, pgd.description AS comment, a.attgenerated AS generated,
(SELECT json_build_object('always', a.attidentity = 'a', 'start', s.seqstart) FROM pg_catalog.pg_sequence s
JOIN pg_catalog.pg_class c ON s.seqrelid = c."oid" WHERE c.relkind = 'S' AND a.attidentity != ''
AND s.seqrelid = pg_catalog.pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)::regclass::oid) AS identity_options
FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_description pgd ON (pgd.objoid = a.attrelid AND pgd.objsubid = a.attnum)
WHERE a.attrelid = 'visits'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;

-- enumerated types
SELECT t.typname AS "name", pg_catalog.pg_type_is_visible(t.oid) AS "visible", n.nspname AS "schema", e.enumlabel AS "label"
FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_catalog.pg_enum e ON t.oid = e.enumtypid
WHERE t.typtype = 'e' ORDER BY "schema", "name", e.oid;

-- columns of the primary key
SELECT a.attname FROM pg_attribute a JOIN (SELECT unnest(ix.indkey) attnum, generate_subscripts(ix.indkey, 1) ord FROM pg_index ix
WHERE ix.indrelid = 'visits'::regclass AND ix.indisprimary) k ON a.attnum = k.attnum WHERE a.attrelid = 'visits'::regclass ORDER BY k.ord;

-- indexes
SELECT i.relname AS relname, ix.indisunique, a.attname, a.attnum, c.conrelid, ix.indkey::varchar, i.reloptions, am.amname, pg_get_expr(ix.indpred, ix.indrelid)
FROM pg_class t JOIN pg_index ix ON t.oid = ix.indrelid JOIN pg_class i ON i.oid = ix.indexrelid
LEFT OUTER JOIN pg_attribute a ON t.oid = a.attrelid AND a.attnum = ANY(ix.indkey)
LEFT OUTER JOIN pg_constraint c ON (ix.indrelid = c.conrelid AND ix.indexrelid = c.conindid AND c.contype IN ('p', 'u', 'x'))
LEFT OUTER JOIN pg_am am ON i.relam = am.oid WHERE t.oid = 'visits'::regclass AND ix.indisprimary = 'f' ORDER BY t.relname, i.relname;

-- comment of a table
SELECT pgd.description AS table_comment FROM pg_catalog.pg_description pgd WHERE pgd.objsubid = 0 AND pgd.objoid = 'visits'::regclass;
