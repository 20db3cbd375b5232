"""Row-level security: what a statement sees is told to the database by the context that it is made in.

`scope` says what a context may see, `base` is Django's PostgreSQL backend that tells the database, `tenancy` says of each
table whose its rows are, and `wall` makes the role and the policies. See ADR 0042.
"""
