"""What scripts of handlers use, inside the JVM; their public name is `classhook.agent`."""
