"""Where a project stands: the fast bootstrap of a session, its durable checkpoints, and the guard of continuity."""
