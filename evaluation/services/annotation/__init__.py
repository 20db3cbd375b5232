"""Annotation: projects and their people, the queue, what people say, and what comes of it."""
