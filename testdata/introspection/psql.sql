-- psql (15): what its commands ask beyond those that the tests run by psql itself. Seen in the log of a PostgreSQL 15, and written down anew, shorter.

-- \gdesc
SELECT name AS "Column", pg_catalog.format_type(tp, tpm) AS "Type"
FROM (VALUES ('age', '20'::pg_catalog.oid, -1), ('c', '1700'::pg_catalog.oid, -1)) s(name, tp, tpm);

-- \dy
SELECT evtname AS "Name", e.evtfoid::pg_catalog.regproc AS "Function",
pg_catalog.array_to_string(array(select x from pg_catalog.unnest(evttags) AS t(x)), ', ') AS "Tags" FROM pg_catalog.pg_event_trigger e ORDER BY 1;

-- \dL
SELECT l.lanname AS "Name", d.description AS "Description" FROM pg_catalog.pg_language l
LEFT JOIN pg_catalog.pg_description d ON d.classoid = l.tableoid AND d.objoid = l.oid AND d.objsubid = 0 WHERE l.lanplcallfoid != 0 ORDER BY 1;

-- \dd of tables, by the catalog that they are in
SELECT c.relname, d.description FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND c.tableoid = d.classoid AND d.objsubid = 0) WHERE c.relnamespace = 'public'::regnamespace;

-- \dO
SELECT n.nspname, c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_namespace n
WHERE n.oid = c.collnamespace AND c.collencoding IN (-1, pg_catalog.pg_char_to_encoding(pg_catalog.getdatabaseencoding())) ORDER BY 1, 2;

-- \dconfig
SELECT s.name AS "Parameter" FROM pg_catalog.pg_settings s WHERE s.source <> 'default' AND s.setting IS DISTINCT FROM s.boot_val ORDER BY 1;
