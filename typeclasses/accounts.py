"""The people who play."""

from evennia.accounts.accounts import DefaultAccount, DefaultGuest


class Account(DefaultAccount):
    """A person who plays, whichever character they puppet."""


class Guest(DefaultGuest):
    """A visitor without an account of their own, forgotten when they leave."""
