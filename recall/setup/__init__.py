"""Connecting an agent: what its configuration must say, where it is, and how to add it without harm."""
