"""`python -m recall` is the `recall` command."""

from recall.cli import main

main()
