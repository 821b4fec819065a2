"""Executors that map plain functions over shards."""
