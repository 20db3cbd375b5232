"""The errors of backups.

BackupError
├── BackupNotMade     nothing was written: the file is there, the disk is full, a program is missing or failed
├── BackupDamaged     a file that is no backup, or not the one that was written
└── RestoreRefused    a backup that was not brought back; the database is as it was
"""


class BackupError(Exception):
    """The root of what backups raise on purpose. Its message is a sentence for the person at the terminal."""


class BackupNotMade(BackupError):
    """No backup was made. What was there before is there still."""


class BackupDamaged(BackupError):
    """A file that is not a whole backup."""


class RestoreRefused(BackupError):
    """A backup was not restored. Nothing of the database has changed."""
