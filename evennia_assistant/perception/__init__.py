"""
What an NPC hears and sees, and what is said through an object of ours.

`hearing` turns what Evennia sends an object into a `Percept`; `speaking` lets a speaker hand over
its exact words.

"""
