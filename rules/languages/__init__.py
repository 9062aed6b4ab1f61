"""Names of methods and classes as users of a language write them; one module for each language that the JVM runs."""
