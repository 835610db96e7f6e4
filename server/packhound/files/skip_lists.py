"""Names that are skipped by default; `.packhoundignore` can re-include any of them."""

SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", ".gradle", ".idea", ".vs", ".next", ".terraform"}
    | {".packhound", ".ipynb_checkpoints"}
)
"""Tool output that no one searches even where nobody ignored it; `!name/` forces one in."""

SECRET_FILES = (
    *(".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.crt"),
    *("*.cer", "*.der", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", ".pgpass"),
    *(".git-credentials", ".pypirc", ".npmrc", ".htpasswd", "*.kdbx", "*.asc", "*.gpg", "*.ppk"),
    *("*.kubeconfig", "*.tfstate", "*.tfstate.*", "credentials.json", "secrets.yaml"),
    "secrets.yml",
)
"""Never indexed unless `.packhoundignore` forces them in: their text could end up in a prompt."""
EXAMPLE_FILES = (".env.example", ".env.sample", ".env.template", ".env.dist")
"""Names of secrets that hold none."""

GENERATED_FILES = ("*.min.js", "*.min.css", "*.map", ".git", "*.po", "*.pot")
"""Text that tools write for tools."""

BINARY_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".pdf"}
    | {".zip", ".gz", ".bz2", ".xz", ".zst", ".7z", ".tar", ".jar", ".war", ".class", ".o"}
    | {".a", ".so", ".dylib", ".dll", ".exe", ".pyc", ".pyd", ".wasm", ".woff", ".woff2"}
    | {".ttf", ".otf", ".eot", ".mp3", ".mp4", ".mov", ".avi", ".mkv", ".wav", ".ogg", ".flac"}
    | {".db", ".sqlite", ".sqlite3", ".bin", ".dat", ".npy", ".npz", ".pt", ".onnx", ".pb"}
    | {".parquet", ".psd", ".ai", ".sketch", ".fits", ".h5", ".pickle", ".pkl", ".mo", ".whl"}
    | {".gem", ".nupkg", ".vsix", ".snk", ".pak", ".rlib"}
)
DATA_SUFFIXES = frozenset(
    {".json", ".jsonl", ".xml", ".csv", ".tsv", ".yaml", ".yml", ".toml", ".txt", ".log"}
    | {".html", ".htm", ".plist", ".geojson", ".css", ".svg", ".snap", ".patch", ".diff", ".sum"}
    | {".lock"}
)
DATA_FILE_BYTES = 64 * 1024
"""Longer data files are records, not code: their words would drown the words of the code."""
