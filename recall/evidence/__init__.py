"""What the repository, as it is now, says of what a memory claims."""
