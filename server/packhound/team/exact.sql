-- Vectors are made anew by `setup`, with and without an index, and by the next push of each branch.
DROP FUNCTION IF EXISTS packhound.nearest(text, uuid, text, real[], int);
DROP TABLE IF EXISTS packhound.vectors;
ALTER TABLE packhound.files DROP CONSTRAINT IF EXISTS files_repository_id_key;
