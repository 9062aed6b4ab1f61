"""Finds rules that match nothing, or are never true, among the classes that are given or loaded, and what they may have
meant."""
