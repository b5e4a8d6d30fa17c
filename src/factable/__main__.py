"""`python -m factable`."""

from factable.cli.main import main

main()
