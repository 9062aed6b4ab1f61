"""`classhook top`: a table of what a running program does, again and again: looks, numbers, keys, the screen."""
