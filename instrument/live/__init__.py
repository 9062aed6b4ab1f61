"""JVMs that run: finding them, attaching to them, and talking to the agent in them."""
