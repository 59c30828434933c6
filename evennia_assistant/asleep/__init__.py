"""
Asleep: what an NPC does with its memory while nobody talks to it.

`modes` decides when it sleeps and wakes, `cycle` takes the steps of a night one after the other,
and each step is a module of its own. Every step stores its result and the cursor in one write, so
that a night may be broken off anywhere.

"""
