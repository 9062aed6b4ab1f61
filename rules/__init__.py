"""The rule language: from text to a rule set that says what to do with a class and its methods.

Nothing is imported here: `rules.parse` imports lark, which the agent does not need; it uses only `rules.compiled`.
"""
