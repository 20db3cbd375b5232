"""Memories that backward chaining and its baselines can stand on (GOAL-MEM, section 3 and section 5), one file each.

Each follows its paper's description behind the one interface `Backbone`: `add`, `retrieve`, `size`. What a paper asks a
language model for, a role of the engine does, so that every backbone works with and without one; its calls are in the trace.
"""
