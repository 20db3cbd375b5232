"""Accounts: who may sign in, by which one-time link, and under which name they speak."""

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import base36_to_int, urlsafe_base64_decode, urlsafe_base64_encode

from memory.core.naming import key_of
from memory.models import ActRecord, AliasRecord, EntityRecord
from memory.services.acts import act_record
from memory.services.spaces import space_personal

LINK_LIFETIME_S = 24 * 60 * 60


class AccountRefused(Exception):
    """Raised where an account cannot be made. The message is a sentence for the person who asked."""


class SignInLinkTokens(PasswordResetTokenGenerator):
    """Makes and checks the tokens of sign-in links.

    A token expires at the first sign-in after it was made, when the password changes, and after `LINK_LIFETIME_S` seconds.
    """

    key_salt = "memory.services.accounts.SignInLinkTokens"

    def _make_hash_value(self, user: AbstractBaseUser, timestamp: int) -> str:
        # Django's own value cuts the last sign-in to whole seconds: a link made and used within one second would live on.
        last_sign_in = user.last_login.isoformat() if user.last_login else ""
        return f"{user.pk} {user.password} {last_sign_in} {timestamp}"

    def check_token(self, user: User | None, token: str | None) -> bool:
        if user is None or not token or not super().check_token(user, token):
            return False
        made_at = base36_to_int(token.split("-")[0])
        return self._num_seconds(self._now()) - made_at <= LINK_LIFETIME_S


link_tokens = SignInLinkTokens()


def owner_account() -> User:
    """Return the oldest superuser; the first call makes one, who signs in by link until a password is set.

    Two concurrent calls make one account. A new account gets its personal space at once, so that this is the first space that
    it owns.
    """
    oldest = User.objects.filter(is_superuser=True, is_active=True).order_by("id").first()
    if oldest is not None:
        return oldest
    powers = {"is_staff": True, "is_superuser": True, "password": make_password(None)}
    owner, _ = User.objects.get_or_create(username=settings.DSMART_OWNER, defaults=powers)
    space_personal(user=owner)
    return owner


@transaction.atomic
def account_create(*, username: str, first_name: str = "", last_name: str = "", password: str | None = None) -> User:
    """Create and return an account without special rights; without a password it signs in by link.

    Raises `AccountRefused`.
    """
    account = User(username=User.normalize_username(username.strip()), first_name=first_name, last_name=last_name)
    account.set_password(password)
    try:
        if password is not None:
            validate_password(password, account)
        account.full_clean()
        with transaction.atomic():
            account.save()
    except ValidationError as error:
        raise AccountRefused(" ".join(error.messages)) from error
    except IntegrityError as error:
        raise AccountRefused(f"There is an account {account.username!r} already.") from error
    return account


def sign_in_path(user: User) -> str:
    """Return the URL path of a sign-in link that works once and for `LINK_LIFETIME_S` seconds. The log tells of it."""
    act_record(kind=ActRecord.Kind.LINK, subject=user)
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("sign-in-link", kwargs={"uid": uid, "token": link_tokens.make_token(user)})


def link_account(*, uid: str, token: str) -> User | None:
    """Return the account of a sign-in link without using the link up; None where the link is not valid."""
    user = User.objects.filter(pk=link_account_id(uid), is_active=True).first()
    return user if user is not None and link_tokens.check_token(user, token) else None


@transaction.atomic
def link_redeem(*, uid: str, token: str) -> User | None:
    """Use a sign-in link up and return its account; None where the link is not valid.

    Of two concurrent calls one gets None.
    """
    user = User.objects.select_for_update().filter(pk=link_account_id(uid), is_active=True).first()
    if user is None or not link_tokens.check_token(user, token):
        return None
    user.last_login = timezone.now()
    user.save(update_fields=["last_login"])
    return user


def link_account_id(uid: str) -> int:
    """Return the account id that a sign-in link names; 0, which no account has, where it names none."""
    try:
        return int(urlsafe_base64_decode(uid))
    except ValueError:
        return 0


def person(user: User | AnonymousUser) -> User:
    """Return the user of a request as a signed-in `User`. Raises `PermissionDenied` for an anonymous one."""
    if not isinstance(user, User):
        raise PermissionDenied
    return user


def speaker_name(user: User) -> str:
    """Return the name under which a user speaks in dialogue: the full name, or the username where no full name is set."""
    return " ".join(user.get_full_name().split()) or user.get_username()


def own_names(user: User) -> tuple[str, ...]:
    """Return the names under which a user has spoken: the one of now, and the one from before a full name was set."""
    return tuple(dict.fromkeys([speaker_name(user), user.get_username()]))


@transaction.atomic
def account_rename(*, user: User, first_name: str, last_name: str) -> None:
    """Change a user's name, in future dialogue and on the user's own entity in every space."""
    before = speaker_name(user)
    user.first_name, user.last_name = first_name.strip(), last_name.strip()
    user.save(update_fields=["first_name", "last_name"])
    after = speaker_name(user)
    if key_of(before) != key_of(after):
        speaker_rename(user, before=before, after=after)


def speaker_rename(user: User, *, before: str, after: str) -> None:
    """Rename the user's own entity in each space, except where another entity of that space already has the new name."""
    speakers = EntityRecord.objects.filter(
        space__memberships__user=user, is_speaker=True, aliases__key=key_of(before)
    ).distinct()
    for speaker in speakers:
        namesakes = AliasRecord.objects.filter(space_id=speaker.space_id, key=key_of(after))
        if namesakes.exclude(entity=speaker).exists():
            continue
        AliasRecord.objects.get_or_create(
            entity=speaker, key=key_of(after), defaults={"space_id": speaker.space_id, "text": after}
        )
        EntityRecord.objects.filter(pk=speaker.pk).update(label=after)
