"""Calls of a Java class of yours: `--agent own_calls.py=jar=tracker.jar,class=my.Tracker,methods=com.acme.**::*`. Your
class has

public static void enter(Object self, String method, int number)
public static void exit(String method, int number)
"""

from classhook.agent import Agent

agent = Agent()
agent.insert.jar(agent.options["jar"])
agent.insert.entry(agent.options["methods"], call=agent.options["class"] + ".enter(this, method, number)")
agent.insert.exit(agent.options["methods"], call=agent.options["class"] + ".exit(method, number)")
