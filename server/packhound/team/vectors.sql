-- A vector for each node of a file, for the nearest ones of branches, see vectors.py. pgvector is in
-- the schema {vector}. Partitions are by repository. Of one repository the first vectors are read
-- one by one for a question: to add one to the index of neighbours takes thirty times as long as to
-- store it, and to read some 50,000 no longer than to ask the index. Those beyond are `indexed`.
ALTER TABLE packhound.files ADD UNIQUE (repository, id);
CREATE TABLE packhound.vectors (
    repository text NOT NULL, file uuid NOT NULL, node int NOT NULL, encoder text NOT NULL,
    embedding {vector}.halfvec(256) NOT NULL, indexed boolean NOT NULL,
    PRIMARY KEY (repository, file, node),
    FOREIGN KEY (repository, file) REFERENCES packhound.files (repository, id) ON DELETE CASCADE
) PARTITION BY HASH (repository);
DO $$ BEGIN
    FOR i IN 0..15 LOOP
        EXECUTE format('CREATE TABLE packhound.vectors_%s PARTITION OF packhound.vectors'
            ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    END LOOP;
END $$;
CREATE INDEX ON packhound.vectors USING hnsw (embedding {vector}.halfvec_ip_ops) WHERE indexed;
CREATE INDEX ON packhound.vectors (repository) WHERE indexed;
ALTER TABLE packhound.vectors ENABLE ROW LEVEL SECURITY;
-- The setting narrows what is read to branches, whose files are looked up once for all rows.
CREATE POLICY readable ON packhound.vectors FOR SELECT USING (
    file IN (SELECT contents.file FROM packhound.contents WHERE contents.branch = ANY (
        string_to_array(current_setting('packhound.branches', true), ',')::uuid[]))
    OR (coalesce(current_setting('packhound.branches', true), '') = ''
        AND EXISTS (SELECT FROM packhound.contents WHERE contents.file = vectors.file)));
CREATE POLICY pushed ON packhound.vectors FOR INSERT WITH CHECK (
    EXISTS (SELECT FROM packhound.files WHERE files.id = vectors.file AND {admissible}));
CREATE POLICY removed ON packhound.vectors FOR DELETE USING (
    EXISTS (SELECT FROM packhound.files WHERE files.id = vectors.file AND {admissible}));
GRANT USAGE ON SCHEMA {vector} TO {member};
GRANT SELECT, INSERT, DELETE ON packhound.vectors TO {member};

-- It reads as the user. Without `iterative_scan` the index would give its nearest rows, and the
-- conditions leave few of them, or none, where most are not his or of other branches. A join in
-- place of the inner SELECTs would have all vectors sorted. Of 13,211 nodes that are all in the
-- index an `ef_search` of 400 finds 0.88 of the nearest 400, one of 800 finds 0.96.
CREATE FUNCTION packhound.nearest(
    of_repositories text[], of_branches uuid[], of_encoder text, query real[], n int
) RETURNS SETOF uuid LANGUAGE plpgsql
    SET search_path = pg_catalog, {vector} SET jit = off
    SET work_mem = '64MB' SET plan_cache_mode = force_custom_plan
    SET hnsw.iterative_scan = strict_order SET hnsw.ef_search = 1000
    AS $$ BEGIN
        PERFORM set_config('packhound.branches', array_to_string(of_branches, ','), true);
        RETURN QUERY SELECT x.file FROM (
            (SELECT v.file, v.embedding <#> query::halfvec AS distance FROM packhound.vectors v
             WHERE v.repository = ANY (of_repositories) AND v.encoder = of_encoder
                AND NOT v.indexed AND (v.file IN (
                    SELECT c.file FROM packhound.contents c WHERE c.branch = ANY (of_branches)
                )) IS TRUE
             ORDER BY distance LIMIT n)
            UNION ALL
            (SELECT v.file, v.embedding <#> query::halfvec FROM packhound.vectors v
             WHERE v.repository = ANY (of_repositories) AND v.encoder = of_encoder
                AND v.indexed AND (
                    SELECT true FROM packhound.contents c
                    WHERE c.branch = ANY (of_branches) AND c.file = v.file LIMIT 1)
                AND EXISTS (SELECT FROM packhound.vectors i
                    WHERE i.repository = ANY (of_repositories) AND i.indexed)
             ORDER BY v.embedding <#> query::halfvec LIMIT n)
        ) x ORDER BY x.distance LIMIT n;
    END $$;
REVOKE ALL ON FUNCTION packhound.nearest FROM PUBLIC;
GRANT EXECUTE ON FUNCTION packhound.nearest TO {member};
