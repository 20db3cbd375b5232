"""A server of the Model Context Protocol: seven tools over the memory of a space, by stdio and by HTTP."""
