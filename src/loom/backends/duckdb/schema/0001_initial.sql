-- One row a version; nothing is ever updated in place but by redaction and erasure.
-- `body` is the JSON of every field that has no column of its own and not its default;
-- its member `audit` lists the audit entries of the write that made the version.
-- No column is declared NOT NULL: each such check costs every insert a hundredth of a
-- millisecond, and rows are made by one function whose result the types vouch for.
CREATE TABLE memory_version (
    version    BIGINT,
    memory_id  VARCHAR,
    org        VARCHAR,
    namespace  VARCHAR,
    memory_key VARCHAR,
    -- 64 bits of the key's hash: DuckDB scans a million of them in a millisecond, ten
    -- times as fast as the keys, and an index on them would not be used beside other
    -- conditions.
    key_hash   BIGINT,
    -- The best known date in the world, in microseconds since the epoch.
    world_us   BIGINT,
    body       VARCHAR,
    -- The embedding entries of a content that is new: space, places and terms ...
    entries    VARCHAR,
    -- ... and their vectors, float32, one after the other.
    vectors    BLOB
);

-- Entries that came without their row, or of another embedder: one row a content.
CREATE TABLE content_entry (
    version        BIGINT,
    memory_id      VARCHAR,
    content_sha256 VARCHAR,
    space          VARCHAR,
    entries        VARCHAR,
    vectors        BLOB
);

-- Audit entries of what wrote no memory: refusals, blacklist changes, sweeps.
CREATE TABLE audit_entry (
    version BIGINT,
    body    VARCHAR
);

-- Versions of blacklist patterns and of facts about the store.
CREATE TABLE small_version (
    version BIGINT,
    kind    VARCHAR CHECK (kind IN ('pattern', 'store_fact')),
    name    VARCHAR,
    body    VARCHAR
);

-- Set while stored text was removed but the file that held it was not replaced yet.
CREATE TABLE rewrite_due (
    since TIMESTAMP DEFAULT current_timestamp
);

CREATE VIEW memory_versions AS
SELECT
    version,
    make_timestamp(version // 1000) AS written_at,
    memory_id,
    org,
    namespace,
    coalesce(json_extract_string(body, '$.agent'), '') AS agent,
    coalesce(json_extract_string(body, '$.user_id'), '') AS user_id,
    coalesce(json_extract_string(body, '$.session_id'), '') AS session_id,
    memory_key,
    json_extract(body, '$.value') AS value,
    coalesce(json_extract_string(body, '$.memory_type'), 'semantic') AS memory_type,
    coalesce(json_extract_string(body, '$.status'), 'active') AS status,
    coalesce(json_extract_string(body, '$.event'), 'created') AS event,
    coalesce(CAST(json_extract_string(body, '$.pinned') AS BOOLEAN), FALSE) AS pinned,
    coalesce(CAST(json_extract_string(body, '$.confidence') AS DOUBLE), 1.0) AS confidence,
    coalesce(CAST(json_extract(body, '$.tags') AS VARCHAR[]), []) AS tags,
    json_extract_string(body, '$.actor') AS actor,
    coalesce(json_extract_string(body, '$.source_class'), 'asserted') AS source_class,
    json_extract_string(body, '$.content_sha256') AS content_sha256,
    coalesce(CAST(json_extract_string(body, '$.parent') AS BIGINT), 0) AS parent,
    make_timestamp(world_us) AS world_at,
    body
FROM memory_version;

CREATE VIEW audit_log AS
WITH entry AS (
    SELECT
        m.version,
        m.memory_id,
        m.org,
        m.namespace,
        m.memory_key,
        m.body AS of_row,
        unnest(json_extract(m.body, '$.audit[*]')) AS body
    FROM memory_version AS m
)
SELECT
    version,
    coalesce(CAST(json_extract_string(body, '$.ordinal') AS BIGINT), 0) AS ordinal,
    make_timestamp(version // 1000) AS at,
    json_extract_string(body, '$.operation') AS operation,
    coalesce(json_extract_string(body, '$.org'), org) AS org,
    coalesce(json_extract_string(body, '$.namespace'), namespace) AS namespace,
    coalesce(json_extract_string(body, '$.agent'), json_extract_string(of_row, '$.agent'), '') AS agent,
    coalesce(json_extract_string(body, '$.user_id'), json_extract_string(of_row, '$.user_id'), '') AS user_id,
    coalesce(json_extract_string(body, '$.session_id'), json_extract_string(of_row, '$.session_id'), '') AS session_id,
    coalesce(json_extract_string(body, '$.run_id'), json_extract_string(of_row, '$.run_id'), '') AS run_id,
    coalesce(json_extract_string(body, '$.memory_key'), memory_key) AS memory_key,
    memory_id,
    coalesce(json_extract_string(body, '$.content_sha256'), json_extract_string(of_row, '$.content_sha256')) AS content_sha256,
    coalesce(json_extract_string(body, '$.actor'), json_extract_string(of_row, '$.actor')) AS actor,
    coalesce(json_extract_string(body, '$.source_class'), json_extract_string(of_row, '$.source_class'), 'asserted') AS source_class,
    coalesce(json_extract_string(body, '$.verdict'), '') AS verdict,
    coalesce(json_extract_string(body, '$.refused'), '') AS refused
FROM entry
UNION ALL
SELECT
    version,
    coalesce(CAST(json_extract_string(body, '$.ordinal') AS BIGINT), 0),
    make_timestamp(version // 1000),
    json_extract_string(body, '$.operation'),
    json_extract_string(body, '$.org'),
    coalesce(json_extract_string(body, '$.namespace'), ''),
    coalesce(json_extract_string(body, '$.agent'), ''),
    coalesce(json_extract_string(body, '$.user_id'), ''),
    coalesce(json_extract_string(body, '$.session_id'), ''),
    coalesce(json_extract_string(body, '$.run_id'), ''),
    coalesce(json_extract_string(body, '$.memory_key'), ''),
    coalesce(json_extract_string(body, '$.memory_id'), ''),
    coalesce(json_extract_string(body, '$.content_sha256'), ''),
    json_extract_string(body, '$.actor'),
    coalesce(json_extract_string(body, '$.source_class'), ''),
    coalesce(json_extract_string(body, '$.verdict'), ''),
    coalesce(json_extract_string(body, '$.refused'), '')
FROM audit_entry;
