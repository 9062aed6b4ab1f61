"""`python -m native.building`: builds in place."""

from native.building.build import main

main()
