-- DBeaver's driver for PostgreSQL. Written from what the program does, in words of our own and shorter; not captured.

-- connect
SET application_name = 'DBeaver - Main';
SELECT version();
SELECT current_schema(), session_user;
SHOW search_path;
SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE datname = 'clinic';
SELECT * FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings';

-- schemas
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname;

-- types
SELECT t.oid, t.typname, t.typtype, t.typcategory, t.typelem, t.typinput, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base_type_name, d.description
FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid = t.typelem LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid = d.objoid
WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C') ORDER BY t.oid;

-- tables of a schema
SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c');

-- columns of a table
SELECT c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.oid = 'visits'::regclass ORDER BY a.attnum;

-- constraints of a table
SELECT c.oid, c.*, t.relname AS tabrelname, rt.relnamespace AS refnamespace, d.description, NULL AS consrc_copy
FROM pg_catalog.pg_constraint c INNER JOIN pg_class t ON t.oid = c.conrelid LEFT OUTER JOIN pg_class rt ON rt.oid = c.confrelid
LEFT OUTER JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_constraint'::regclass
WHERE c.conrelid = 'visits'::regclass ORDER BY c.oid;

-- indexes of a schema
SELECT i.*, i.indkey AS keys, c.relname, c.relnamespace, c.relam, tc.relname AS tabrelname, dsc.description, pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS pred_expr
FROM pg_catalog.pg_index i INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid INNER JOIN pg_catalog.pg_class tc ON tc.oid = i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid = dsc.objoid WHERE tc.relnamespace = 'public'::regnamespace ORDER BY tabrelname, c.relname;

-- roles, with comments of all databases
SELECT a.oid, a.*, pd.description FROM pg_catalog.pg_roles a LEFT JOIN pg_catalog.pg_shdescription pd ON a.oid = pd.objoid ORDER BY a.rolname;

-- what is beside tables
SELECT oid, * FROM pg_catalog.pg_tablespace;
SELECT e.oid, a.*, e.*, n.nspname AS schema_name FROM pg_catalog.pg_extension e LEFT JOIN pg_available_extensions a ON a.name = e.extname JOIN pg_namespace n ON n.oid = e.extnamespace;
SELECT x.oid, x.* FROM pg_catalog.pg_event_trigger x;
SELECT p.oid, p.*, l.lanname FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.proname;
SELECT x.oid, x.*, p.relname AS tabname FROM pg_catalog.pg_trigger x INNER JOIN pg_catalog.pg_class p ON p.oid = x.tgrelid WHERE NOT x.tgisinternal AND x.tgrelid = 'visits'::regclass;

-- size and statistics of a table
SELECT pg_catalog.pg_total_relation_size('visits'::regclass) AS total_rel_size, pg_catalog.pg_relation_size('visits'::regclass) AS rel_size;

-- search by name
SELECT x.oid, x.relname, x.relnamespace, x.relkind FROM pg_catalog.pg_class x
WHERE x.relkind IN ('r', 'v', 'm', 'f') AND x.relname LIKE '%vis%' AND x.relnamespace IN ('public'::regnamespace, 'simulated'::regnamespace) ORDER BY x.relname, x.oid LIMIT 100;
