"""Dead code: which methods nobody called, in production and in tests, over many runs.

1. observations.py says what is known of a method; from_data.py takes it from data, from_dataset.py from a dataset.
2. verdicts.py merges versions of a method by the hash of its body, and puts each method into a group; runs_by_rules.py
   tells whether rules would have seen a method of a class that was never loaded.
3. exclusions.py lists methods that a program needs although nobody calls them.
4. forms.py, page.py and sarif.py show the verdicts; summary.py says what was observed.
"""
