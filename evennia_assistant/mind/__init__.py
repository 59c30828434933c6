"""
The pure part: plain data in, plain data out.

Nothing below this package imports Evennia, Django or Twisted; clocks and randomness are arguments.

"""
