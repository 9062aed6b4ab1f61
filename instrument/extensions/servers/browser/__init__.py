"""The page of `classhook top --web`: what running JVMs do, and their rules, in a browser of this machine.

`live_page.py` begins and ends it, `requests.py` answers the browser, `looks.py` has the numbers, `session_rules.py` the
rules. The page itself is live.html; its tables and flame graphs are those of reports (instrument/reports/page.html).
"""
