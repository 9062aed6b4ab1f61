"""Building what is not Python: the agent, the tracker class, the embedding library, and what mypyc compiles."""
