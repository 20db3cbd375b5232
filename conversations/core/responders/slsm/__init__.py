"""The responder `slsm`: a typed state of the task, which every message revises, gates what a reply may say (SLSM)."""
