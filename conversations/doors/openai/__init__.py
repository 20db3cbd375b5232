"""A server as OpenAI's clients expect it: `/v1/chat/completions` and `/v1/models`, over the memory of a space."""
