"""Keys at rest: readable with the secret that they were stored under, and with no other."""

from __future__ import annotations

from memory.adapters.sealing import sealed, unsealed

KEY = "sk-very-secret"


def test_key_is_read_again_with_the_same_secret_only():
    kept = sealed(KEY, secret="one")
    assert KEY not in kept and sealed(KEY, secret="one") != kept
    assert (unsealed(kept, secret="one"), unsealed(kept, secret="other")) == (KEY, None)


def test_what_was_tampered_with_is_not_read():
    kept = sealed(KEY, secret="one")
    assert unsealed(kept[:-4] + "AAA=", secret="one") is None and unsealed("nonsense é", secret="one") is None
