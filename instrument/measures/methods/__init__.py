"""The rows of methods and their table, which `time`, `profile` and `count` share."""
