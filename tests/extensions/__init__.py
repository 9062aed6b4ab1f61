"""Tests of the extensions, a folder each; without its extension, a folder can go, too."""
