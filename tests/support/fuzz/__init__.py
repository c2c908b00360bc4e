"""Files as no program would write them: real-shaped samples, changed at random from a seed."""
