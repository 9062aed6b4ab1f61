"""`python -m classhook.native.building`: builds in place."""

from classhook.native.building.build import main

main()
