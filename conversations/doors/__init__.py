"""The doors for other programs: one that speaks as OpenAI's servers do, and one by the Model Context Protocol."""
