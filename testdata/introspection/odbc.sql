-- PostgreSQL's driver for ODBC (13.02), as Power BI, Excel and isql use it. Seen in the log of a PostgreSQL 15, and written down anew, shorter.

-- connect
SET DateStyle = 'ISO';
SET extra_float_digits = 2;
SELECT oid, typbasetype FROM pg_type WHERE typname = 'lo';

-- SQLTables
SELECT relname, nspname, relkind FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'pg_temp_1')
AND n.oid = relnamespace ORDER BY nspname, relname;

-- SQLColumns
SELECT n.nspname, c.relname, a.attname, a.atttypid, t.typname, a.attnum, a.attlen, a.atttypmod, a.attnotnull, c.relhasrules, c.relkind,
pg_get_expr(d.adbin, d.adrelid), CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE 0 END, t.typtypmod, attidentity
FROM (((pg_catalog.pg_class c INNER JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND c.relname LIKE 'visits' AND n.nspname LIKE 'public')
INNER JOIN pg_catalog.pg_attribute a ON (NOT a.attisdropped) AND a.attnum > 0 AND a.attrelid = c.oid)
INNER JOIN pg_catalog.pg_type t ON t.oid = a.atttypid)
LEFT OUTER JOIN pg_attrdef d ON a.atthasdef AND d.adrelid = a.attrelid AND d.adnum = a.attnum
ORDER BY n.nspname, c.relname, attnum;
