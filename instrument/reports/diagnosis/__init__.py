"""A page that says what costs a service: measured by the rules that `asked` names, found by a module for each part of
the page (parts.py lists them), and written by one for each form (forms.py)."""
