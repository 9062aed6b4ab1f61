"""The agent, its counters, the tracker class and the header that both sides read. Imported inside the JVM: imports
nothing."""
