"""Judges: each says how good a reply is, by a rule or by asking a language model. One small file a judge."""
