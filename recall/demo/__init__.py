"""A small sample home, so that a newcomer without memories sees what recall does."""
