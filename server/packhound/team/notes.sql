-- Notes of a repository, without secrets and without code; each is its owner's, of one machine.
CREATE TABLE packhound.notes (
    repository text NOT NULL, owner name NOT NULL DEFAULT current_user, device text NOT NULL,
    id text NOT NULL, digest bytea NOT NULL, note bytea NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (repository, owner, device, id));
ALTER TABLE packhound.notes ENABLE ROW LEVEL SECURITY;
-- They are of a repository, not of a branch: who may read any branch of it reads them, who may push
-- to any writes his own.
CREATE POLICY readable ON packhound.notes FOR SELECT USING (
    owner = current_user OR {readable_notes});
CREATE POLICY written ON packhound.notes FOR INSERT WITH CHECK (
    owner = current_user AND {writable_notes});
CREATE POLICY changed ON packhound.notes FOR UPDATE USING (owner = current_user) WITH CHECK (
    owner = current_user AND {writable_notes});
CREATE POLICY forgotten ON packhound.notes FOR DELETE USING (owner = current_user);
CREATE TRIGGER refuse_erased BEFORE INSERT ON packhound.notes
    FOR EACH ROW EXECUTE FUNCTION packhound.refuse_erased();
GRANT SELECT, INSERT, DELETE, UPDATE (digest, note, pushed_at) ON packhound.notes TO {member};
