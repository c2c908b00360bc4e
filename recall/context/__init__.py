"""The project's own context: a journal of checkpoints in `.context`, and what is made from it."""
