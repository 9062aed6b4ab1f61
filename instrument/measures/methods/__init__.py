"""What `time`, `profile` and `count` share: the rows of methods and their table."""
