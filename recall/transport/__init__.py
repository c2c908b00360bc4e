"""Ways to what is not a file: foreign programs."""
