"""versionCheck: the versions of JVMTI, of the JVM and of what runs this script.

classhook run --agent version_check.py -- java -jar app.jar
"""

from classhook.agent import Agent, Event

agent = Agent()


@agent.on.start
def start(e: Event) -> None:
    v = agent.versions
    print(f"JVMTI {v.jvmti}: {v.name} {v.jvm} (Java {v.java}), classhook {v.classhook}, Python {v.python}")
