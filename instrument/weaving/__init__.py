"""Weaving of a class: a plan by the measures, the woven class, the names of its probes."""
