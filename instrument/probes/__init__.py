"""What a measure inserts into methods, and what measures share for that. Runs in the JVM."""
