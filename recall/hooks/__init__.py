"""What coding agents call at fixed moments of a session: each client's own contract, one answer behind it."""
