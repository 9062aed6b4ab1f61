"""Real commits of libraries, each with the tests that `classhook select` selects for it."""
