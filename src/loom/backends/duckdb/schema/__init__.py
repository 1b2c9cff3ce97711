"""Numbered migrations, applied in order when a store is opened."""
