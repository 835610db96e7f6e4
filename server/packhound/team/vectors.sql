-- A vector for each node of a file, for the nearest ones of a branch, see vectors.py. pgvector is in
-- the schema {vector}. Partitions are by repository, so that an index has few rows of others.
ALTER TABLE packhound.files ADD UNIQUE (repository, id);
CREATE TABLE packhound.vectors (
    repository text NOT NULL, file uuid NOT NULL, node int NOT NULL, encoder text NOT NULL,
    embedding {vector}.halfvec(256) NOT NULL, PRIMARY KEY (repository, file, node),
    FOREIGN KEY (repository, file) REFERENCES packhound.files (repository, id) ON DELETE CASCADE
) PARTITION BY HASH (repository);
DO $$ BEGIN
    FOR i IN 0..15 LOOP
        EXECUTE format('CREATE TABLE packhound.vectors_%s PARTITION OF packhound.vectors'
            ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    END LOOP;
END $$;
CREATE INDEX ON packhound.vectors USING hnsw (embedding {vector}.halfvec_ip_ops);
ALTER TABLE packhound.vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON packhound.vectors FOR SELECT USING (
    EXISTS (SELECT FROM packhound.contents WHERE contents.file = vectors.file));
CREATE POLICY pushed ON packhound.vectors FOR INSERT WITH CHECK (
    EXISTS (SELECT FROM packhound.files WHERE files.id = vectors.file AND {admissible}));
CREATE POLICY removed ON packhound.vectors FOR DELETE USING (
    EXISTS (SELECT FROM packhound.files WHERE files.id = vectors.file AND {admissible}));
GRANT USAGE ON SCHEMA {vector} TO {member};
GRANT SELECT, INSERT, DELETE ON packhound.vectors TO {member};

-- It reads as the user. Without `iterative_scan` the index would give its nearest rows, and the
-- conditions leave few of them, or none, where most are not his or of other branches. EXISTS in
-- place of the inner SELECT would be a join, and join and sort have all vectors of the branch read.
-- An `ef_search` of 400 finds 0.88 of the nearest 400 nodes of 13,211, one of 800 finds 0.96.
CREATE FUNCTION packhound.nearest(
    of_repository text, of_branch uuid, of_encoder text, query real[], n int
) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = pg_catalog, {vector}
    SET hnsw.iterative_scan = strict_order SET hnsw.ef_search = 1000
    AS $$ SELECT v.file FROM packhound.vectors v
          WHERE v.repository = of_repository AND v.encoder = of_encoder AND (
              SELECT true FROM packhound.contents c WHERE c.branch = of_branch AND c.file = v.file)
          ORDER BY v.embedding <#> query::halfvec LIMIT n $$;
REVOKE ALL ON FUNCTION packhound.nearest FROM PUBLIC;
GRANT EXECUTE ON FUNCTION packhound.nearest TO {member};
