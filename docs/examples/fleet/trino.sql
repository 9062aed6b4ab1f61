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
    gc_count bigint,
    gc_total_ns bigint,
    gc_longest_ns bigint,
    weaving_ns bigint,
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

create table if not exists hive.fleet.keys (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    keyed_by varchar,
    key varchar,
    others boolean,
    calls_before bigint,
    rule varchar,
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
    estimated boolean,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/keys', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'keys', 'ADD');

create table if not exists hive.fleet.call_sites (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    line bigint,
    called_class varchar,
    called_method varchar,
    called_descriptor varchar,
    rule varchar,
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
    estimated boolean,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/call_sites', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'call_sites', 'ADD');

create table if not exists hive.fleet.histograms (
    run_id varchar,
    kind varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    keyed_by varchar,
    key varchar,
    line bigint,
    called_class varchar,
    called_method varchar,
    called_descriptor varchar,
    upper_ns bigint,
    count bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/histograms', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'histograms', 'ADD');

create table if not exists hive.fleet.recorded_values (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    value_of varchar,
    keyed_by varchar,
    key varchar,
    others boolean,
    rule varchar,
    count bigint,
    missing bigint,
    sum double,
    min double,
    max double,
    p50 double,
    p90 double,
    p99 double,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/recorded_values', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'recorded_values', 'ADD');

create table if not exists hive.fleet.value_histograms (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    value_of varchar,
    keyed_by varchar,
    key varchar,
    upper double,
    count bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/value_histograms', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'value_histograms', 'ADD');

create table if not exists hive.fleet.calls (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    rule varchar,
    start timestamp,
    took_ns bigint,
    thread varchar,
    trace_id varchar,
    span_id varchar,
    args varchar,
    result varchar,
    fields varchar,
    exception varchar,
    message varchar,
    stack array(varchar),
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/calls', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'calls', 'ADD');

create table if not exists hive.fleet.executions (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    line bigint,
    field varchar,
    rule varchar,
    start timestamp,
    thread varchar,
    trace_id varchar,
    span_id varchar,
    shown varchar,
    stack array(varchar),
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/executions', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'executions', 'ADD');

create table if not exists hive.fleet.line_counts (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    line bigint,
    rule varchar,
    executions bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/line_counts', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'line_counts', 'ADD');

create table if not exists hive.fleet.accesses (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    line bigint,
    field_class varchar,
    field varchar,
    access varchar,
    rule varchar,
    accesses bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/accesses', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'accesses', 'ADD');

create table if not exists hive.fleet.locks (
    run_id varchar,
    class varchar,
    method varchar,
    descriptor varchar,
    readable varchar,
    line bigint,
    monitor varchar,
    event varchar,
    stack varchar,
    count bigint,
    total_ns bigint,
    max_ns bigint,
    pending bigint,
    pending_ns bigint,
    timed_out bigint,
    pinned bigint,
    shorter bigint,
    shorter_ns bigint,
    held_by varchar,
    held_at varchar,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/locks', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'locks', 'ADD');

create table if not exists hive.fleet.moments (
    run_id varchar,
    kind varchar,
    start timestamp,
    took_ns bigint,
    cause varchar,
    heap_used bigint,
    monitor varchar,
    thread varchar,
    stack varchar,
    held_by varchar,
    held_at varchar,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/moments', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'moments', 'ADD');

create table if not exists hive.fleet.threads (
    run_id varchar,
    thread varchar,
    pool varchar,
    threads bigint,
    cpu_ns bigint,
    timed_self_ns bigint,
    method_calls bigint,
    bytecodes bigint,
    allocated_bytes bigint,
    blocked_ns bigint,
    waited_ns bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/threads', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'threads', 'ADD');

create table if not exists hive.fleet.contexts (
    run_id varchar,
    context varchar,
    entered bigint,
    cpu_ns bigint,
    timed_self_ns bigint,
    method_calls bigint,
    bytecodes bigint,
    allocated_bytes bigint,
    blocked_ns bigint,
    waited_ns bigint,
    date date,
    service varchar
) with (external_location = 's3://measurements/fleet/contexts', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', 'contexts', 'ADD');

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
