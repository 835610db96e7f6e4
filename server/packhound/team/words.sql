-- The inverted table of a branch in parts, see words.py. Who may read a branch may read all of it.
CREATE TABLE packhound.words (
    branch uuid NOT NULL REFERENCES packhound.branches ON DELETE CASCADE, part int NOT NULL,
    packed bytea NOT NULL, PRIMARY KEY (branch, part));
ALTER TABLE packhound.words ALTER packed SET STORAGE EXTERNAL;
ALTER TABLE packhound.words ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON packhound.words FOR SELECT USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch));
CREATE POLICY pushed ON packhound.words FOR INSERT WITH CHECK (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch AND {writable}));
CREATE POLICY replaced ON packhound.words FOR UPDATE USING (
    EXISTS (SELECT FROM packhound.branches WHERE branches.id = words.branch AND {writable}));
GRANT SELECT, INSERT, UPDATE (packed) ON packhound.words TO {member};
