"""The rule language: from text to a rule set that says what to do with a class and its methods.

Nothing is imported here: `rules.parse` brings lark with it, and the agent, which only needs `rules.compiled`, must not
pay for that.
"""
