"""Tests of classhook.checking."""
