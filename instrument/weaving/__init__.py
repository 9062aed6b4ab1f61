"""What becomes of a class: a plan by the measures, the woven class, what its probes are called."""
