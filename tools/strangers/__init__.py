"""Suites, programs and dumps that others wrote, run without and with classhook."""
