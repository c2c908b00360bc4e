"""A repository as Git tells it: read only, on time, and whatever its configuration says nothing of it is run."""
