-- Power BI: its connector, and Npgsql below it. Written from what the programs do, in words of our own and shorter; not captured.

-- Npgsql: version and types
SELECT version();
SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid
FROM (SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid,
CASE WHEN elemproc.proname = 'array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
FROM (SELECT typ.oid, typnamespace, typname, typnotnull, relkind,
CASE WHEN proc.proname = 'array_recv' THEN 'a' ELSE typ.typtype END AS typtype,
CASE WHEN proc.proname = 'array_recv' THEN typ.typelem WHEN typ.typtype = 'r' THEN rngsubtype
WHEN typ.typtype = 'm' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid) WHEN typ.typtype = 'd' THEN typ.typbasetype END AS elemtypoid
FROM pg_type AS typ LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)) AS typ
LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive) AS t
JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
WHERE typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'c' AND relkind = 'c') OR (typtype = 'a' AND elemtyptype IN ('b', 'e', 'd'))
ORDER BY CASE WHEN typtype IN ('b', 'e', 'p') THEN 0 WHEN typtype = 'r' THEN 1 WHEN typtype = 'a' THEN 5 END;

-- Npgsql: fields of composite types
SELECT typ.oid, att.attname, att.atttypid FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace)
JOIN pg_class AS cls ON (cls.oid = typ.typrelid) JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid)
WHERE (typ.typtype = 'c' AND cls.relkind = 'c') AND attnum > 0 AND NOT attisdropped ORDER BY typ.oid, att.attnum;

-- Npgsql: values of enumerated types
SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid ORDER BY oid, enumsortorder;

-- Power BI: the encoding
SELECT character_set_name FROM information_schema.character_sets;

-- Power BI: tables
SELECT table_schema, table_name, table_type FROM information_schema.tables
WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY table_schema, table_name;

-- Power BI: columns of a table
SELECT column_name, ordinal_position, is_nullable, CASE WHEN (data_type LIKE '%unsigned%') THEN data_type || ' unsigned' ELSE data_type END AS data_type
FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'visits' ORDER BY table_schema, table_name, ordinal_position;

-- Power BI: keys of others that a table names
SELECT pkcol.column_name AS pk_column_name, fkcol.table_schema AS fk_table_schema, fkcol.table_name AS fk_table_name,
fkcol.column_name AS fk_column_name, fkcol.ordinal_position AS ordinal, fkcol.constraint_schema || '_' || fkcol.table_name || '_' || fk.constraint_name AS fk_name
FROM (SELECT DISTINCT constraint_catalog, constraint_schema, unique_constraint_schema, constraint_name, unique_constraint_name
FROM information_schema.referential_constraints) fk
INNER JOIN information_schema.key_column_usage fkcol ON fk.constraint_schema = fkcol.constraint_schema AND fk.constraint_name = fkcol.constraint_name
INNER JOIN information_schema.key_column_usage pkcol ON fk.unique_constraint_schema = pkcol.constraint_schema
AND fk.unique_constraint_name = pkcol.constraint_name
WHERE pkcol.table_schema = 'public' AND pkcol.table_name = 'visits' AND pkcol.ordinal_position = fkcol.ordinal_position ORDER BY fk_name, fkcol.ordinal_position;

-- Power BI: indexes
SELECT i.constraint_schema || '_' || i.constraint_name AS index_name, ii.column_name, ii.ordinal_position,
CASE WHEN i.constraint_type = 'PRIMARY KEY' THEN 'Y' ELSE 'N' END AS primary_key
FROM information_schema.table_constraints i INNER JOIN information_schema.key_column_usage ii
ON i.constraint_schema = ii.constraint_schema AND i.constraint_name = ii.constraint_name AND i.table_name = ii.table_name
WHERE i.table_schema = 'public' AND i.table_name = 'visits' AND i.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
ORDER BY index_name, ii.table_schema, ii.table_name, ii.ordinal_position;
