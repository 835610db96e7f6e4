"""A small HTTP client."""
