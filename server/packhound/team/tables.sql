CREATE SCHEMA packhound;
CREATE TABLE packhound.version (version int NOT NULL);
INSERT INTO packhound.version VALUES (0);

-- `repository` and `branch` are names; one that ends in `*` stands for all that begin so.
CREATE TABLE packhound.grants (
    grantee name NOT NULL, repository text NOT NULL, branch text NOT NULL,
    may_push boolean NOT NULL, PRIMARY KEY (grantee, repository, branch));

-- What parsing made of a file, by `key` (see row.py), and its text without secrets; `origin` is the
-- object of git that it was made of, for pushes (see push.py). No two owners
-- share a row, so nobody learns by pushing what others have, or can replace it. No id is a count.
CREATE TABLE packhound.files (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    repository text NOT NULL, key bytea NOT NULL, owner name NOT NULL DEFAULT current_user,
    path text NOT NULL, digest bytea NOT NULL, origin bytea NOT NULL, nodes int NOT NULL,
    analysis bytea NOT NULL, text bytea NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now(), UNIQUE (repository, key, owner));
CREATE INDEX ON packhound.files (key);
-- They are compressed already.
ALTER TABLE packhound.files ALTER analysis SET STORAGE EXTERNAL, ALTER text SET STORAGE EXTERNAL;

CREATE TABLE packhound.branches (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    repository text NOT NULL, name text NOT NULL, commit text NOT NULL,
    pushed_by name NOT NULL DEFAULT current_user, pushed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (repository, name));
CREATE TABLE packhound.contents (
    branch uuid NOT NULL REFERENCES packhound.branches ON DELETE CASCADE,
    file uuid NOT NULL REFERENCES packhound.files, PRIMARY KEY (branch, file));
CREATE INDEX ON packhound.contents (file);

-- Digests of texts that were erased and are not taken again.
CREATE TABLE packhound.erased (digest bytea PRIMARY KEY);

CREATE FUNCTION packhound.matches(pattern text, value text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN pattern = value OR (right(pattern, 1) = '*' AND starts_with(value, left(pattern, -1)));

ALTER TABLE packhound.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE packhound.files ENABLE ROW LEVEL SECURITY;
ALTER TABLE packhound.branches ENABLE ROW LEVEL SECURITY;
ALTER TABLE packhound.contents ENABLE ROW LEVEL SECURITY;
ALTER TABLE packhound.erased ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON packhound.grants FOR SELECT USING (
    grantee = ANY (ARRAY(SELECT rolname FROM pg_roles WHERE pg_has_role(oid, 'usage'))));

CREATE POLICY readable ON packhound.branches FOR SELECT USING ({readable});
CREATE POLICY pushed ON packhound.branches FOR INSERT WITH CHECK (
    pushed_by = current_user AND {writable});
CREATE POLICY replaced ON packhound.branches FOR UPDATE USING ({writable}) WITH CHECK (
    pushed_by = current_user AND {writable});
CREATE POLICY removed ON packhound.branches FOR DELETE USING ({writable});

-- A branch that is not readable has no contents for its reader.
CREATE POLICY readable ON packhound.contents FOR SELECT USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = contents.branch));
CREATE POLICY removed ON packhound.contents FOR DELETE USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = contents.branch AND {writable}));
-- Who knows the id of a file that he may not read cannot put it where he may. A function, since
-- policies of two tables may not refer to each other; it reads as the user.
CREATE FUNCTION packhound.may_list(of_branch uuid, of_file uuid) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT EXISTS (
        SELECT FROM packhound.branches JOIN packhound.files USING (repository)
        WHERE branches.id = of_branch AND files.id = of_file AND {writable}) $$;
CREATE POLICY pushed ON packhound.contents FOR INSERT WITH CHECK (
    packhound.may_list(branch, file));

CREATE POLICY readable ON packhound.files FOR SELECT USING (
    owner = current_user
    OR EXISTS (SELECT FROM packhound.contents WHERE contents.file = files.id));
CREATE POLICY pushed ON packhound.files FOR INSERT WITH CHECK (
    owner = current_user AND {admissible});
CREATE POLICY traced ON packhound.files FOR UPDATE USING (owner = current_user);

-- These two run as the owner of the tables. None returns anything of a row.
CREATE FUNCTION packhound.refuse_erased() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$ BEGIN
        IF EXISTS (SELECT FROM packhound.erased e WHERE e.digest = NEW.digest) THEN
            RETURN NULL;
        END IF;
        RETURN NEW;
    END $$;
CREATE TRIGGER refuse_erased BEFORE INSERT ON packhound.files
    FOR EACH ROW EXECUTE FUNCTION packhound.refuse_erased();
CREATE FUNCTION packhound.prune(of_repository text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
    AS $$ DELETE FROM packhound.files f WHERE f.repository = of_repository
          AND f.pushed_at < now() - interval '1 day'
          AND NOT EXISTS (SELECT FROM packhound.contents c WHERE c.file = f.id); $$;

-- One row a repository that the asker may read, for monitoring.
CREATE VIEW packhound.usage WITH (security_invoker = true) AS
    SELECT f.repository, count(*) AS files, sum(f.nodes) AS nodes,
        sum(length(f.analysis)) AS analysis_bytes, sum(length(f.text)) AS text_bytes,
        (SELECT count(*) FROM packhound.branches b WHERE b.repository = f.repository) AS branches,
        max(f.pushed_at) AS last_pushed
    FROM packhound.files f GROUP BY f.repository;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA packhound FROM PUBLIC;
GRANT USAGE ON SCHEMA packhound TO {member};
GRANT EXECUTE ON FUNCTION packhound.matches, packhound.may_list, packhound.prune TO {member};
GRANT SELECT ON packhound.version, packhound.grants, packhound.usage TO {member};
GRANT SELECT, INSERT, UPDATE (origin) ON packhound.files TO {member};
GRANT SELECT, INSERT, DELETE ON packhound.contents TO {member};
GRANT SELECT, INSERT, UPDATE, DELETE ON packhound.branches TO {member};
