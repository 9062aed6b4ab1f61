"""Rules and class files put together: matching, weaving, the hook in the JVM, snapshots, reports and the command line."""
