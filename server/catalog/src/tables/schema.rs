//! The columns of PostgreSQL's catalogs, as far as clients query them.

#[derive(Debug)]
pub(crate) struct Shape {
    /// Its OID, if clients rely on it; 0 for any.
    pub oid: i64,
    /// Its name.
    pub name: &'static str,
    columns: &'static str,
}

impl Shape {
    /// The names and types of its columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.columns.split(", ").filter_map(|column| column.split_once(' '))
    }
}

const fn shape(oid: i64, name: &'static str, columns: &'static str) -> Shape {
    Shape { oid, name, columns }
}

/// `pg_catalog`.
pub(crate) const CATALOG: &[Shape] = &[
    shape(
        1259,
        "pg_class",
        "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid, relfilenode oid, reltablespace oid, \
         relpages int4, reltuples float4, relallvisible int4, reltoastrelid oid, relhasindex bool, relisshared bool, relpersistence char, relkind char, \
         relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool, relhassubclass bool, relrowsecurity bool, relforcerowsecurity bool, \
         relispopulated bool, relreplident char, relispartition bool, relrewrite oid, relacl _aclitem, reloptions _text, relpartbound text",
    ),
    shape(
        1249,
        "pg_attribute",
        "attrelid oid, attname name, atttypid oid, attlen int2, attnum int2, attcacheoff int4, atttypmod int4, attndims int2, attbyval bool, \
         attalign char, attstorage char, attcompression char, attnotnull bool, atthasdef bool, atthasmissing bool, attidentity char, attgenerated char, \
         attisdropped bool, attislocal bool, attinhcount int2, attstattarget int2, attcollation oid, attacl _aclitem, attoptions _text, \
         attfdwoptions _text",
    ),
    shape(
        1247,
        "pg_type",
        "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char, typcategory char, typispreferred bool, \
         typisdefined bool, typdelim char, typrelid oid, typsubscript regproc, typelem oid, typarray oid, typinput regproc, typoutput regproc, \
         typreceive regproc, typsend regproc, typmodin regproc, typmodout regproc, typanalyze regproc, typalign char, typstorage char, typnotnull bool, typbasetype oid, typtypmod int4, typndims int4, typcollation oid, typdefaultbin text, typdefault text, \
         typacl _aclitem",
    ),
    shape(2615, "pg_namespace", "oid oid, nspname name, nspowner oid, nspacl _aclitem"),
    shape(2609, "pg_description", "objoid oid, classoid oid, objsubid int4, description text"),
    shape(
        2606,
        "pg_constraint",
        "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool, convalidated bool, conrelid oid, contypid oid, \
         conindid oid, conparentid oid, confrelid oid, confupdtype char, confdeltype char, confmatchtype char, conislocal bool, coninhcount int2, \
         connoinherit bool, conkey _int2, confkey _int2, conbin text",
    ),
    shape(
        2610,
        "pg_index",
        "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indnullsnotdistinct bool, indisprimary bool, \
         indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool, indislive bool, \
         indisreplident bool, indkey int2vector, indcollation oidvector, indclass oidvector, indoption int2vector, indexprs text, indpred text",
    ),
    shape(
        1255,
        "pg_proc",
        "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost float4, prorows float4, provariadic oid, prokind char, \
         prosecdef bool, proleakproof bool, proisstrict bool, proretset bool, provolatile char, proparallel char, pronargs int2, prorettype oid, \
         proargtypes oidvector, proallargtypes _oid, proargmodes _char, proargnames _text, prosrc text, proacl _aclitem",
    ),
    shape(
        1262,
        "pg_database",
        "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool, datallowconn bool, datconnlimit int4, \
         datfrozenxid int4, dattablespace oid, datcollate text, datctype text, daticulocale text, daticurules text, datcollversion text, datacl _aclitem",
    ),
    shape(
        0,
        "pg_roles",
        "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, rolreplication bool, rolconnlimit int4, \
         rolpassword text, rolvaliduntil timestamptz, rolbypassrls bool, rolconfig _text, oid oid",
    ),
    shape(
        0,
        "pg_user",
        "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, valuntil timestamptz, useconfig _text",
    ),
    shape(1261, "pg_auth_members", "oid oid, roleid oid, member oid, grantor oid, admin_option bool"),
    shape(2601, "pg_am", "oid oid, amname name, amhandler regproc, amtype char"),
    shape(
        2616,
        "pg_opclass",
        "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid, opcdefault bool, opckeytype oid",
    ),
    shape(2753, "pg_opfamily", "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid"),
    shape(
        2607,
        "pg_conversion",
        "oid oid, conname name, connamespace oid, conowner oid, conforencoding int4, contoencoding int4, conproc regproc, condefault bool",
    ),
    shape(
        6100,
        "pg_subscription",
        "oid oid, subdbid oid, subname name, subowner oid, subenabled bool, subconninfo text, subslotname name, subpublications _text",
    ),
    shape(3602, "pg_ts_config", "oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid"),
    shape(
        3600,
        "pg_ts_dict",
        "oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid, dictinitoption text",
    ),
    shape(0, "pg_available_extensions", "name name, default_version text, installed_version text, comment text"),
    shape(1260, "pg_authid", "oid oid, rolname name, rolsuper bool, rolcanlogin bool"),
    shape(0, "pg_group", "groname name, grosysid oid, grolist _oid"),
    shape(
        1214,
        "pg_shdepend",
        "dbid oid, classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, deptype char",
    ),
    shape(3592, "pg_shseclabel", "objoid oid, classoid oid, provider text, label text"),
    shape(
        0,
        "pg_stats",
        "schemaname name, tablename name, attname name, inherited bool, null_frac float4, avg_width int4, n_distinct float4",
    ),
    shape(2604, "pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin text"),
    shape(
        3456,
        "pg_collation",
        "oid oid, collname name, collnamespace oid, collowner oid, collprovider char, collisdeterministic bool, collencoding int4, collcollate text, \
         collctype text, colliculocale text, collversion text",
    ),
    shape(1213, "pg_tablespace", "oid oid, spcname name, spcowner oid, spcacl _aclitem, spcoptions _text"),
    shape(2611, "pg_inherits", "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool"),
    shape(
        3350,
        "pg_partitioned_table",
        "partrelid oid, partstrat char, partnatts int2, partdefid oid, partattrs int2vector",
    ),
    shape(
        3256,
        "pg_policy",
        "oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles _oid, polqual text, polwithcheck text",
    ),
    shape(
        3381,
        "pg_statistic_ext",
        "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget int4, stxkeys int2vector, stxkind _char, stxexprs text",
    ),
    shape(
        6104,
        "pg_publication",
        "oid oid, pubname name, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool, pubdelete bool, pubtruncate bool, pubviaroot bool",
    ),
    shape(6106, "pg_publication_rel", "oid oid, prpubid oid, prrelid oid, prqual text, prattrs int2vector"),
    shape(6237, "pg_publication_namespace", "oid oid, pnpubid oid, pnnspid oid"),
    shape(
        2620,
        "pg_trigger",
        "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype int2, tgenabled char, tgisinternal bool, tgconstrrelid oid, tgconstrindid oid, \
         tgconstraint oid, tgdeferrable bool, tginitdeferred bool, tgnargs int2, tgattr int2vector, tgargs text, tgqual text, tgoldtable name, tgnewtable name",
    ),
    shape(
        2618,
        "pg_rewrite",
        "oid oid, rulename name, ev_class oid, ev_type char, ev_enabled char, is_instead bool, ev_qual text, ev_action text",
    ),
    shape(3501, "pg_enum", "oid oid, enumtypid oid, enumsortorder float4, enumlabel name"),
    shape(
        2224,
        "pg_sequence",
        "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8, seqcache int8, seqcycle bool",
    ),
    shape(
        3541,
        "pg_range",
        "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, rngcanonical regproc, rngsubdiff regproc",
    ),
    shape(
        2608,
        "pg_depend",
        "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4, deptype char",
    ),
    shape(2396, "pg_shdescription", "objoid oid, classoid oid, description text"),
    shape(
        3079,
        "pg_extension",
        "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text, extconfig _oid, extcondition _text",
    ),
    shape(
        2612,
        "pg_language",
        "oid oid, lanname name, lanowner oid, lanispl bool, lanpltrusted bool, lanplcallfoid oid, laninline oid, lanvalidator oid, lanacl _aclitem",
    ),
    shape(
        2617,
        "pg_operator",
        "oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind char, oprcanmerge bool, oprcanhash bool, oprleft oid, oprright oid, oprresult oid, oprcom oid, \
         oprnegate oid, oprcode regproc, oprrest regproc, oprjoin regproc",
    ),
    shape(2605, "pg_cast", "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext char, castmethod char"),
    shape(2600, "pg_aggregate", "aggfnoid oid, aggkind char, aggnumdirectargs int2"),
    shape(
        1417,
        "pg_foreign_server",
        "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl _aclitem, srvoptions _text",
    ),
    shape(3118, "pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions _text"),
    shape(
        2328,
        "pg_foreign_data_wrapper",
        "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl _aclitem, fdwoptions _text",
    ),
    shape(2964, "pg_db_role_setting", "setdatabase oid, setrole oid, setconfig _text"),
    shape(
        826,
        "pg_default_acl",
        "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char, defaclacl _aclitem",
    ),
    shape(
        0,
        "pg_settings",
        "name text, setting text, unit text, category text, short_desc text, context text, vartype text, source text, min_val text, \
         max_val text, boot_val text, reset_val text, pending_restart bool",
    ),
    shape(
        0,
        "pg_tables",
        "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool, hasrules bool, hastriggers bool, rowsecurity bool",
    ),
    shape(0, "pg_views", "schemaname name, viewname name, viewowner name, definition text"),
    shape(
        0,
        "pg_matviews",
        "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes bool, ispopulated bool, definition text",
    ),
    shape(0, "pg_indexes", "schemaname name, tablename name, indexname name, tablespace name, indexdef text"),
    shape(
        0,
        "pg_sequences",
        "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value int8, min_value int8, max_value int8",
    ),
    shape(
        0,
        "pg_stat_activity",
        "datid oid, datname name, pid int4, usename name, application_name text, state text, query text",
    ),
    shape(0, "pg_stat_user_tables", "relid oid, schemaname name, relname name, n_live_tup int8, n_dead_tup int8"),
    shape(
        0,
        "pg_locks",
        "locktype text, database oid, relation oid, transactionid int8, classid oid, objid oid, pid int4, mode text, granted bool",
    ),
    shape(0, "pg_prepared_xacts", "transaction int8, gid text, prepared timestamptz, owner name, database name"),
    shape(0, "pg_timezone_names", "name text, abbrev text, utc_offset text, is_dst bool"),
    shape(0, "pg_get_keywords", "word text, catcode char, catdesc text"),
    shape(
        0,
        "pg_event_trigger",
        "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char, evttags _text",
    ),
];

/// `information_schema`.
pub(crate) const INFORMATION: &[Shape] = &[
    shape(
        0,
        "tables",
        "table_catalog name, table_schema name, table_name name, table_type text, self_referencing_column_name name, reference_generation text, \
         user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, is_insertable_into text, is_typed text, \
         commit_action text",
    ),
    shape(
        0,
        "columns",
        "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, column_default text, is_nullable text, \
         data_type text, character_maximum_length int4, character_octet_length int4, numeric_precision int4, numeric_precision_radix int4, \
         numeric_scale int4, datetime_precision int4, interval_type text, interval_precision int4, character_set_name name, collation_name name, \
         domain_catalog name, domain_schema name, domain_name name, udt_catalog name, udt_schema name, udt_name name, is_identity text, \
         identity_generation text, identity_start text, identity_increment text, is_generated text, generation_expression text, is_updatable text",
    ),
    shape(
        0,
        "schemata",
        "catalog_name name, schema_name name, schema_owner name, default_character_set_name name, sql_path text",
    ),
    shape(
        0,
        "views",
        "table_catalog name, table_schema name, table_name name, view_definition text, check_option text, is_updatable text",
    ),
    shape(
        0,
        "table_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name, \
         constraint_type text, is_deferrable text, initially_deferred text, enforced text",
    ),
    shape(
        0,
        "key_column_usage",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name, column_name name, \
         ordinal_position int4, position_in_unique_constraint int4",
    ),
    shape(
        0,
        "constraint_column_usage",
        "table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name, constraint_schema name, constraint_name name",
    ),
    shape(
        0,
        "referential_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, unique_constraint_schema name, \
         unique_constraint_name name, match_option text, update_rule text, delete_rule text",
    ),
    shape(
        0,
        "routines",
        "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name, routine_type text, data_type text",
    ),
    shape(
        0,
        "sequences",
        "sequence_catalog name, sequence_schema name, sequence_name name, data_type text, start_value text, minimum_value text, maximum_value text, increment text",
    ),
    shape(
        0,
        "table_privileges",
        "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type text, is_grantable text, with_hierarchy text",
    ),
    shape(
        0,
        "character_sets",
        "character_set_catalog name, character_set_schema name, character_set_name name, character_repertoire name, form_of_use name, \
         default_collate_catalog name, default_collate_schema name, default_collate_name name",
    ),
];
