-- PostgreSQL's driver for Java (42.5): its metadata and its search for types. Seen in the log of a PostgreSQL 15 that it was connected to, and
-- written down anew, shorter.

-- connect
SET extra_float_digits = 3;
SET application_name = 'PostgreSQL JDBC Driver';
SHOW TRANSACTION ISOLATION LEVEL;

-- getCatalogs
SELECT datname AS table_cat FROM pg_catalog.pg_database WHERE datallowconn = true ORDER BY datname;

-- getSchemas
SELECT nspname AS table_schem, NULL AS table_catalog FROM pg_catalog.pg_namespace
WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1])
AND (nspname !~ '^pg_toast_temp_' OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_'))
ORDER BY table_schem;

-- getTables
SELECT NULL AS table_cat, n.nspname AS table_schem, c.relname AS table_name,
CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
WHEN true THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TABLE' WHEN 'v' THEN 'SYSTEM VIEW' ELSE NULL END
WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END
ELSE NULL END AS table_type, d.description AS remarks, '' AS type_cat
FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass)
WHERE c.relnamespace = n.oid AND c.relname LIKE '%'
AND (false OR (c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'))
ORDER BY table_type, table_schem, table_name;

-- getColumns
SELECT * FROM (SELECT n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull,
a.atttypmod, a.attlen, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') AS attidentity,
pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc, dsc.description, t.typbasetype, t.typtype
FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid)
JOIN pg_catalog.pg_attribute a ON (a.attrelid = c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid = def.adrelid AND a.attnum = def.adnum)
LEFT JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'public' AND c.relname LIKE 'visits') c
WHERE true AND attname LIKE '%' ORDER BY nspname, c.relname, attnum;

-- getPrimaryKeys
SELECT result.table_name, result.column_name, result.key_seq, result.pk_name FROM
(SELECT ct.relname AS table_name, a.attname AS column_name, (information_schema._pg_expandarray(i.indkey)).n AS key_seq,
ci.relname AS pk_name, information_schema._pg_expandarray(i.indkey) AS keys, a.attnum AS a_attnum
FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
WHERE ct.relname = 'visits' AND i.indisprimary) result
WHERE result.a_attnum = (result.keys).x ORDER BY result.table_name, result.pk_name, result.key_seq;

-- getImportedKeys
SELECT pkn.nspname AS pktable_schem, pkc.relname AS pktable_name, pka.attname AS pkcolumn_name, fka.attname AS fkcolumn_name, pos.n AS key_seq
FROM pg_catalog.pg_namespace pkn, pg_catalog.pg_class pkc, pg_catalog.pg_attribute pka, pg_catalog.pg_class fkc, pg_catalog.pg_attribute fka,
pg_catalog.pg_constraint con, pg_catalog.generate_series(1, 32) pos(n)
WHERE pkn.oid = pkc.relnamespace AND pkc.oid = pka.attrelid AND pka.attnum = con.confkey[pos.n] AND con.confrelid = pkc.oid
AND fkc.oid = fka.attrelid AND fka.attnum = con.conkey[pos.n] AND con.conrelid = fkc.oid AND con.contype = 'f' AND fkc.relname = 'visits'
ORDER BY pkn.nspname, pkc.relname, con.conname, pos.n;

-- getIndexInfo
SELECT tmp.index_name, tmp.ordinal_position, trim(both '"' from pg_catalog.pg_get_indexdef(tmp.ci_oid, tmp.ordinal_position, false)) AS column_name,
CASE tmp.am_name WHEN 'btree' THEN CASE tmp.i_indoption[tmp.ordinal_position - 1] & 1::smallint WHEN 1 THEN 'D' ELSE 'A' END ELSE NULL END AS asc_or_desc
FROM (SELECT ci.relname AS index_name, (information_schema._pg_expandarray(i.indkey)).n AS ordinal_position, ci.oid AS ci_oid,
i.indoption AS i_indoption, am.amname AS am_name
FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
JOIN pg_catalog.pg_am am ON (ci.relam = am.oid) WHERE ct.relname = 'visits') AS tmp
ORDER BY index_name, ordinal_position;

-- what a type is
SELECT typinput = 'pg_catalog.array_in'::regproc AS is_array, typtype, typname, pg_type.oid FROM pg_catalog.pg_type
LEFT JOIN (SELECT ns.oid AS nspoid, ns.nspname, r.r FROM pg_namespace AS ns
JOIN (SELECT s.r, (current_schemas(false))[s.r] AS nspname FROM generate_series(1, array_upper(current_schemas(false), 1)) AS s(r)) AS r
USING (nspname)) AS sp ON sp.nspoid = typnamespace
WHERE pg_type.oid IN (20, 1009) ORDER BY sp.r, pg_type.oid DESC;

-- whether a type is searched
SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid WHERE t.oid = 1700;

-- words to quote
SELECT string_agg(word, ',') FROM pg_catalog.pg_get_keywords() WHERE word <> ALL ('{select,from,"null",where}'::text[]);

-- longest name
SELECT t.typlen FROM pg_catalog.pg_type t, pg_catalog.pg_namespace n WHERE t.typnamespace = n.oid AND t.typname = 'name' AND n.nspname = 'pg_catalog';

-- where a column of a result is from
SELECT c.oid, a.attnum, a.attname, c.relname, n.nspname, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (c.oid = a.attrelid)
JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
JOIN (SELECT 'visits'::regclass::oid AS oid, 2 AS attnum) vals ON (c.oid = vals.oid AND a.attnum = vals.attnum);
