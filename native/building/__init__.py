"""Builds everything that is not pure Python: the agent, the tracker class, the embedding library, and mypyc's
modules."""
