"""The only room that speaks LSP, and the only place with UTF-16."""
