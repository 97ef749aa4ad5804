"""`python -m agent` is the command `regrasp`."""

from agent.cli.main import main

main()
