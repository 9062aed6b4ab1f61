"""`python -m classhook.native.building`: builds in place; with MACHINE FILE, the agent for another machine."""

import sys

from classhook.native.building.build import main

main(sys.argv[1:])
