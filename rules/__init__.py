"""The rule language: from text to a rule set that says what to do with a class and its methods.

Nothing is imported here: `classhook.rules.parse` imports lark, which the agent does not need; it uses only
`classhook.rules.compiled`.
"""
