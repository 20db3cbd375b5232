"""The check of one reply: what it states, what that is held against, and what comes of it (TG-/GA-DRG, section 3.4)."""
