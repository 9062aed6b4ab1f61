"""Says why tests failed, as far as their data tells.

1. runs.py finds the runs in the data: the last one, and of each test the last one in which it passed; done.py reads
   what each test of a run did.
2. suspects.py ranks methods and lines that failing tests ran; differences.py compares a test with its last good run.
3. traces.py finds which methods may change the static state that a test reads; polluters.py ranks the tests before it
   that ran them; verifying.py runs pairs of tests, to see who is right.
4. unsteady.py compares runs of the same code.
5. answer.py puts these together; text.py and as_json.py show them, unsteady_report.py what 4 found.
"""
