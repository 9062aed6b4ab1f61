"""What runs inside the JVM."""
