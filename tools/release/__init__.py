"""All that a release consists of."""
