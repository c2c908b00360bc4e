"""Answers and checkups as text for people, markdown for agents, JSON for programs. Pure."""
