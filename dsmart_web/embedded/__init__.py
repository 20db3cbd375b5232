"""The parts that a team's server would run as services, kept inside the product for one machine."""
