"""The commands of `classhook ctl`: each takes a JVM, its data file, further words, and whether answers are JSON."""
