"""Encrypts keys of servers before they are stored (Fernet), by a key that is derived from the product's own secret key."""

from __future__ import annotations

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PURPOSE = b"dsmart: keys of engines"


def sealed(text: str, *, secret: str) -> str:
    return fernet(secret).encrypt(text.encode()).decode()


def unsealed(token: str, *, secret: str) -> str | None:
    """Return what was encrypted, or None where it was encrypted under another secret."""
    try:
        return fernet(secret).decrypt(token.encode()).decode()
    except InvalidToken:
        return None


def fernet(secret: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
    return Fernet(urlsafe_b64encode(derived))
