"""The kinds of steps that replies have, beside the calls of language models: a file a kind."""
