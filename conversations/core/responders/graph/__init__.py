"""The responder `graph`: D-SMART without its search, one look into the graph for each question of a message."""
