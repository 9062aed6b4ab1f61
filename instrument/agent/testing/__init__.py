"""Finds out which test runs: for each test framework, the methods of it that are woven, and how a test's identity is
read there. Runs in the JVM, as a script of handlers (script/known_tests.py); nothing of the program's code is called.

A framework is a module with HOOKS, and a name in hooks.FRAMEWORKS.
"""
