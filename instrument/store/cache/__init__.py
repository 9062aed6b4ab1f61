"""The cache, which is kept from one run to the next: woven classes, parsed rules."""
