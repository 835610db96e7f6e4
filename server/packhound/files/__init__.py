"""The files of a root that are searched: ignore rules as git reads them, walking, safe reading."""
