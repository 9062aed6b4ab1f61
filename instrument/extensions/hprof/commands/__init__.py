"""Commands of this extension, a module each."""
