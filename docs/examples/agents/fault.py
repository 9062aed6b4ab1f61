"""Fault injection: a method returns a constant, or throws an exception, and does nothing else. The environment says
what: CLASS::METHOD, and a value in Python's form or the name of a class.

FAULT=com.acme.Stock::isAvailable CONSTANT=False classhook run --agent fault.py -- java -jar app.jar
FAULT=com.acme.Stock::find THROWS=java.io.IOException classhook run --agent fault.py -- java -jar app.jar
"""

import ast
import os

from classhook.agent import Agent

agent = Agent()
if "THROWS" in os.environ:
    agent.insert.throws(os.environ["FAULT"], os.environ["THROWS"])
else:
    agent.insert.returns(os.environ["FAULT"], ast.literal_eval(os.environ.get("CONSTANT", "None")))
