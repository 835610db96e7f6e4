"""Tables, rights and migrations of a store.

Rights are the database's own: policies of row-level security that ask which grants are of roles
that the current user has. All they read is read as that user, so that none tells him more.
"""

from __future__ import annotations

VERSION = 3

MEMBER = "packhound"
"""Role whose members may use a store at all; the grants of a store say what they see of it."""

_MATCHING = """
    EXISTS (SELECT FROM packhound.grants g
            WHERE packhound.matches(g.repository, {0}.repository)
            AND packhound.matches(g.branch, {0}.{1}){2})
"""
_READABLE = _MATCHING.format("branches", "name", "")
_WRITABLE = _MATCHING.format("branches", "name", " AND g.may_push")
_ADMISSIBLE = """
    EXISTS (SELECT FROM packhound.grants g
            WHERE packhound.matches(g.repository, files.repository) AND g.may_push)
"""

_FIRST = f"""
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

CREATE POLICY readable ON packhound.branches FOR SELECT USING ({_READABLE});
CREATE POLICY pushed ON packhound.branches FOR INSERT WITH CHECK (
    pushed_by = current_user AND {_WRITABLE});
CREATE POLICY replaced ON packhound.branches FOR UPDATE USING ({_WRITABLE}) WITH CHECK (
    pushed_by = current_user AND {_WRITABLE});
CREATE POLICY removed ON packhound.branches FOR DELETE USING ({_WRITABLE});

-- A branch that is not readable has no contents for its reader.
CREATE POLICY readable ON packhound.contents FOR SELECT USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = contents.branch));
CREATE POLICY removed ON packhound.contents FOR DELETE USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = contents.branch AND {_WRITABLE}));
-- Who knows the id of a file that he may not read cannot put it where he may. A function, since
-- policies of two tables may not refer to each other; it reads as the user.
CREATE FUNCTION packhound.may_list(of_branch uuid, of_file uuid) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT EXISTS (
        SELECT FROM packhound.branches JOIN packhound.files USING (repository)
        WHERE branches.id = of_branch AND files.id = of_file AND {_WRITABLE}) $$;
CREATE POLICY pushed ON packhound.contents FOR INSERT WITH CHECK (
    packhound.may_list(branch, file));

CREATE POLICY readable ON packhound.files FOR SELECT USING (
    owner = current_user
    OR EXISTS (SELECT FROM packhound.contents WHERE contents.file = files.id));
CREATE POLICY pushed ON packhound.files FOR INSERT WITH CHECK (
    owner = current_user AND {_ADMISSIBLE});
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
GRANT USAGE ON SCHEMA packhound TO {MEMBER};
GRANT EXECUTE ON FUNCTION packhound.matches, packhound.may_list, packhound.prune TO {MEMBER};
GRANT SELECT ON packhound.version, packhound.grants, packhound.usage TO {MEMBER};
GRANT SELECT, INSERT, UPDATE (origin) ON packhound.files TO {MEMBER};
GRANT SELECT, INSERT, DELETE ON packhound.contents TO {MEMBER};
GRANT SELECT, INSERT, UPDATE, DELETE ON packhound.branches TO {MEMBER};
"""

_NOTED = """
    EXISTS (SELECT FROM packhound.grants g
            WHERE packhound.matches(g.repository, notes.repository){0})
"""
_SECOND = f"""
-- Notes of a repository, without secrets and without code; each is its owner's, of one machine.
CREATE TABLE packhound.notes (
    repository text NOT NULL, owner name NOT NULL DEFAULT current_user, device text NOT NULL,
    id text NOT NULL, digest bytea NOT NULL, note bytea NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (repository, owner, device, id));
ALTER TABLE packhound.notes ENABLE ROW LEVEL SECURITY;
-- They are of a repository, not of a branch: who may read any branch of it reads them, who may push
-- to any writes his own.
CREATE POLICY readable ON packhound.notes FOR SELECT USING (
    owner = current_user OR {_NOTED.format("")});
CREATE POLICY written ON packhound.notes FOR INSERT WITH CHECK (
    owner = current_user AND {_NOTED.format(" AND g.may_push")});
CREATE POLICY changed ON packhound.notes FOR UPDATE USING (owner = current_user) WITH CHECK (
    owner = current_user AND {_NOTED.format(" AND g.may_push")});
CREATE POLICY forgotten ON packhound.notes FOR DELETE USING (owner = current_user);
CREATE TRIGGER refuse_erased BEFORE INSERT ON packhound.notes
    FOR EACH ROW EXECUTE FUNCTION packhound.refuse_erased();
GRANT SELECT, INSERT, DELETE, UPDATE (digest, note, pushed_at) ON packhound.notes TO {MEMBER};
"""
_THIRD = f"""
-- The inverted table of a branch in parts, see words.py. Who may read a branch may read all of it.
CREATE TABLE packhound.words (
    branch uuid NOT NULL REFERENCES packhound.branches ON DELETE CASCADE, part int NOT NULL,
    packed bytea NOT NULL, PRIMARY KEY (branch, part));
ALTER TABLE packhound.words ALTER packed SET STORAGE EXTERNAL;
ALTER TABLE packhound.words ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON packhound.words FOR SELECT USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch));
CREATE POLICY pushed ON packhound.words FOR INSERT WITH CHECK (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch AND {_WRITABLE}));
CREATE POLICY replaced ON packhound.words FOR UPDATE USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch AND {_WRITABLE}));
GRANT SELECT, INSERT, UPDATE (packed) ON packhound.words TO {MEMBER};
"""

MIGRATIONS = (_FIRST, _SECOND, _THIRD)
"""Statements that lead from each version to the next; `VERSION` is their number."""

MEMBER_ROLE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{MEMBER}') THEN
        CREATE ROLE {MEMBER} NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
