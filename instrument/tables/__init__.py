"""What a table of a report is: its columns, its sections, the names of its rows."""
