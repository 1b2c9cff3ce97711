"""Credentials in a text, by the form their makers gave them.

Each pattern begins with something rare, takes a bounded stretch after it and repeats no
choice, so the time is linear in the length of the text whatever the text is.
"""

from __future__ import annotations

import base64
import binascii
import re
import string
from collections.abc import Iterator
from typing import Final

from loom.text.anchors import places
from loom.text.secret_values import is_opaque, is_placeholder

__all__ = ["has_credential"]

#: The shortest token that is known by its form, of these characters alone.
_SHORTEST: Final = 16
_TOKEN_CHARACTERS: Final = frozenset(
    map(ord, string.ascii_letters + string.digits + "_-.:+/=")
)
_MASK: Final = bytes(97 if b in _TOKEN_CHARACTERS else 32 for b in range(256))
_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # Amazon
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}"
    r"|gl(?:pat|dt|rt|cbt|ptt|soat|ft|agent)-[\w-]{16,255}"  # GitLab
    r"|xox[abceoprs]-[\w-]{10,255}|xapp-[\w-]{16,255}"  # Slack
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{16,255}"  # Stripe
    r"|AIza[\w-]{30,255}|GOCSPX-[\w-]{16,255}|ya29\.[\w-]{16,255}"  # Google
    r"|npm_[A-Za-z0-9]{20,255}|pypi-[\w-]{20,255}|rubygems_[a-f0-9]{20,255}"
    r"|hf_[A-Za-z0-9]{20,255}|r8_[A-Za-z0-9]{20,255}|gsk_[A-Za-z0-9]{20,255}"
    r"|pplx-[A-Za-z0-9]{20,255}|xai-[A-Za-z0-9]{20,255}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,255}|key-[0-9a-f]{32}(?![0-9a-f])|SK[0-9a-f]{32}"
    r"|do[opr]_v1_[a-f0-9]{32,255}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,255}"
    r"|hv[sbr]\.[\w-]{20,255}|dckr_pat_[\w-]{16,255}|gl(?:sa|c)_[\w=+/-]{20,255}"
    r"|lin_api_[A-Za-z0-9]{16,255}|figd_[\w-]{16,255}|ntn_[A-Za-z0-9]{20,255}"
    r"|sq0(?:atp|csp)-[\w-]{16,255}|EAAC[A-Za-z0-9]{20,255}|xkeysib-[a-f0-9]{20,255}"
    r"|tskey-[\w-]{16,255}|PMAK-[\w-]{16,255}|NRAK-[A-Z0-9]{16,255}|dp\.pt\.[\w-]{16,255}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,80}|ops_eyJ[\w-]{20,255}|sntry[su]_[\w=+/-]{16,255}"
    r"|(?<![A-Za-z0-9_-])sk-[\w-]{16,255}"  # OpenAI, Anthropic
    r"|[0-9]{8,10}:AA[\w-]{30,40}(?![\w-])"  # Telegram
    r"|[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])"  # Discord
    r"|eyJ[\w-]{5,4096}\.eyJ[\w-]{5,4096}\.[\w-]{0,4096}"  # JSON Web Token
    r")",
    re.ASCII,
)
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]"
)
_WEBHOOK: Final = re.compile(
    r"hooks\.slack\.com/(?:services|workflows)/[A-Z0-9]{6,}/[A-Za-z0-9/]{8,}"
    r"|discord(?:app)?\.com/api/webhooks/[0-9]{12,}/[\w-]{20,}"
)
_USER_AND_PASSWORD: Final = re.compile(
    r"[a-z0-9+.-]{2,24}://[^\s/@:?#\"'<>\x00]{0,64}:(?P<secret>[^\s/@\"'<>\x00]{1,128}"
    r"|<[^<>\n\x00]{1,40}>)@[\w\[$.{<-]",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"(?<![a-z])bearer[ :]{1,2}(?P<token>[a-z0-9._~+/=-]{12,2048})")
_BASIC: Final = re.compile(r"(?<![a-z])basic (?P<login>[a-z0-9+/]{8,512}={0,2})")
_PASSWORD_HASH: Final = re.compile(
    r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{50,60}|\$(?:[156]|y|argon2i?d?)\$[^\s\x00]{20,}"
)
_COMMAND: Final = re.compile(
    r"curl [^\n\x00]{0,200}?(?:-u|--user)[ =]['\"]?[\w.@-]{1,64}:(?P<secret>[^\s'\"\x00]{3,128})"
)


def has_credential(text: str, folded: str) -> bool:
    """Whether a credential stands in the text.

    Args:
        text: undisguised.
        folded: the same in lower case, of the same length.
    """
    return (
        any(_has_token(text, start, stop) for start, stop in _unbroken(text))
        or ("-----BEGIN " in text and bool(_PRIVATE_KEY.search(text)))
        or ("://" in text and "@" in text and _has_shown(_USER_AND_PASSWORD, text))
        or ("$" in text and bool(_PASSWORD_HASH.search(text)))
        or _has_header(text, folded)
        or ("curl " in text and _has_shown(_COMMAND, text))
    )


def _unbroken(text: str) -> Iterator[tuple[int, int]]:
    """Where at least as many characters as the shortest token has stand without a break.

    One byte a character, so a place in the mask is the same place in the text.
    """
    mask = text.encode("ascii", "replace").translate(_MASK)
    start = mask.find(b"a" * _SHORTEST)
    while start >= 0:
        stop = mask.find(b" ", start)
        stop = len(mask) if stop < 0 else stop
        yield start, stop
        start = mask.find(b"a" * _SHORTEST, stop)


def _has_token(text: str, start: int, stop: int) -> bool:
    return _WEBHOOK.search(text, start, stop) is not None or any(
        _is_drawn(found[0]) for found in _TOKEN.finditer(text, start, stop)
    )


def _is_drawn(token: str) -> bool:
    """Whether it is drawn at random, not written to show the form (`xoxb-your-token`)."""
    if len(set(token)) < 8:
        return False
    if any(map(str.isdigit, token)) or token.startswith("A"):
        return True
    return not (token.islower() or token[3:].isupper())


def _has_shown(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a secret stands there itself, not what stands for it."""
    return any(not _is_withheld(found["secret"]) for found in pattern.finditer(text))


def _is_withheld(secret: str) -> bool:
    """A placeholder by its signs; a password that is a word, "password" too, is shown."""
    return not secret.isalpha() and is_placeholder(secret)


def _has_header(text: str, folded: str) -> bool:
    for place in places(folded, "bearer"):
        token = _BEARER.match(folded, place)
        if token and is_opaque(text[slice(*token.span("token"))].strip(".")):
            return True
    for place in places(folded, "basic "):
        login = _BASIC.match(folded, place)
        if login and _is_login(text[slice(*login.span("login"))]):
            return True
    return False


def _is_login(encoded: str) -> bool:
    """Whether it is `user:password` in base 64, as the header has it."""
    try:
        login = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in login and login.isprintable()
