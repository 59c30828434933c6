"""
The awake mind: from what was perceived to what is said.

`attention` decides what a percept means, `runner` when a turn begins, `turn` is one coherent
answer, `speech` the one place where an NPC speaks, `emergency` what happens when nothing works.
`agent` holds them together for one NPC.

"""
