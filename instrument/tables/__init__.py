"""Tables of a report: columns, its sections, the names of its rows."""
