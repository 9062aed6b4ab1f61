"""Probes, which measures insert into methods, and the code that measures share for that. Runs in the JVM."""
