"""Code that runs inside the JVM."""
