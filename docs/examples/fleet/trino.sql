-- The tables of a dataset in Trino. `hive` is the catalog, of a Hive connector; s3://measurements/fleet is where the dataset is.
--     trino --server URL --file trino.sql
-- Run it again when there are new dates or services: a table that exists stays as it is, and the call adds its new folders.
-- If a new release of classhook has more columns, `drop table` first: the files stay.
-- A table in which no run has rows has no folder. Trino refuses that in a local file system; `mkdir` makes it.

create schema if not exists hive.fleet;

create table if not exists hive.fleet.runs (
    run_id varchar,
    start timestamp,
    stop timestamp,
    duration_ns bigint,
    ended varchar,
    host varchar,
    container varchar,
    version varchar,
    commit varchar,
    branch varchar,
    labels map(varchar, varchar),
    jvm varchar,
    command varchar,
    jvms bigint,
    pid bigint,
    rules array(varchar),
    is_test boolean,
    complete boolean,
    count_cost_ns double,
    time_cost_ns double,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/runs', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'runs', 'ADD');

create table if not exists hive.fleet.methods (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    source varchar,
    line bigint,
    body_hash varchar,
    class_sha256 varchar,
    flags bigint,
    annotations array(varchar),
    rule varchar,
    ran boolean,
    calls bigint,
    exceptions bigint,
    completed bigint,
    total_ns bigint,
    self_ns bigint,
    min_ns bigint,
    max_ns bigint,
    p50_ns bigint,
    p90_ns bigint,
    p99_ns bigint,
    cpu_self_ns bigint,
    cpu_total_ns bigint,
    wall_self_ns bigint,
    wall_total_ns bigint,
    estimated boolean,
    probes bigint,
    probes_hit bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/methods', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'methods', 'ADD');

create table if not exists hive.fleet.allocations (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    line bigint,
    bci bigint,
    type varchar,
    count bigint,
    bytes bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/allocations', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'allocations', 'ADD');

create table if not exists hive.fleet.stacks (
    run_id varchar,
    stack_id bigint,
    parent_id bigint,
    tree varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/stacks', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'stacks', 'ADD');

create table if not exists hive.fleet.samples (
    run_id varchar,
    stack_id bigint,
    tree varchar,
    kind varchar,
    value bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/samples', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'samples', 'ADD');

create table if not exists hive.fleet.lines (
    run_id varchar,
    class varchar,
    source varchar,
    line bigint,
    instructions_missed bigint,
    instructions_covered bigint,
    branches_missed bigint,
    branches_covered bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/lines', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'lines', 'ADD');

create table if not exists hive.fleet.tests (
    run_id varchar,
    test varchar,
    class varchar,
    method varchar,
    display varchar,
    kind varchar,
    status varchar,
    start timestamp,
    duration_ns bigint,
    parent varchar,
    attempt bigint,
    thread varchar,
    framework varchar,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/tests', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'tests', 'ADD');

create table if not exists hive.fleet.test_hits (
    run_id varchar,
    test varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    calls bigint,
    probes_hit bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/test_hits', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'test_hits', 'ADD');
