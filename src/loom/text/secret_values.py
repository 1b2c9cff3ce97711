"""Does a word look like somebody's secret, or is it only spoken of?

A password in running text is a word like any other until it has a digit or a symbol in it.
So the form of a value is weighed with how it stands there: after a colon or after "is", in
quotes, as the last word of its clause.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_opaque", "is_password", "is_placeholder"]

#: Stands where a secret would be, and is none.
_PLACEHOLDER: Final = re.compile(
    r"<.*>?|\[.*\]?|\{.*\}?|\$\{.*|\$\(.*|\$\{?[A-Za-z_]+\}?|%[A-Za-z_]+%|%\(.*|%[sd]"
    r"|[*•●·x#?_.\-]{3,}.{0,4}|[Xx]{3,}[-Xx]*|\.{2,}|…|\(.*|/.*|~/.*|\./.*|https?:.*|\\.*"
    r"|(?:(?:your|my|the|some|an?|test|example|insert|enter|new|old|user|db|api|access|secret"
    r"|auth|client)[-_ ]?)*(?:pass(?:word|wd|phrase|code)?|pwd|pw|secret|token|key|api[-_]?key"
    r"|credentials?|here|value|string|goes)(?:[-_ ]?(?:here|goes|value|id))*"
    r"|change[-_ ]?me|redacted|hidden|masked|removed|omitted|censored|placeholder|example"
    r"|(?:op|vault|env|ssm|file|gcp|aws|secrets?|secretsmanager|keyring|arn)[:/].*"
    r"|[A-Za-z_][\w.]*[\[(].*|(?:os|process|self|args|config|settings|env|this|secrets|options|req"
    r"|request|data|user|cfg|params|props|ctx)\.\w.*|!(?:Ref|Sub|Secret|vault|env)\b.*",
    re.IGNORECASE,
)
#: Words that say how a secret is, or where; the ends of words do the rest.
_SAYING: Final = frozenset(
    (
        "none null nil undefined empty true false yes no not optional required mandatory unknown"
        " tbd todo n/a na blank default string str text bytes varchar char type any object field"
        " input value int bool secret secure insecure strong weak safe unsafe wrong correct right"
        " invalid valid long short old new same different unique public private good bad fine great"
        " simple complex easy hard gone lost missing ready known unset case-sensitive here there"
        " below above attached elsewhere inside available unavailable incorrect temporary"
        " permanent confidential sensitive forgot forgotten written kept sent ours mine yours his"
        " hers theirs lastpass bitwarden keepass keepassxc 1password dashlane keychain vault okta"
        " sso oauth oauth2 ldap kerberos saml mfa 2fa totp otp bcrypt scrypt argon2 argon2id"
        " pbkdf2 md5 sha1 sha256 sha512 hs256 rs256 es256 aes aes256 rsa rsa2048 base64 utf8 utf-8"
        " hash hashed salted plain plaintext plain-text hex uuid uuid4 jwt bearer basic refresh"
        " access session please nothing something everything anything important awful terrible"
        " obvious random funny silly tricky stupid crazy cute clever perfect okay ok stale dead"
        " mandatory everywhere online offline optional pending first second third also just that"
        " this what where when who why how which and or but the for with from only still already"
        " never always too very really set reset changed in at on by to of as it me you him her us"
        " them ask see check use try enter type click cracked wifi alphanumeric numeric numbers"
        " letters characters admin-only read-only one-time write-only time-limited short-lived"
        " long-lived single-use self-service"
    ).split()
)
#: Words of sentences; a phrase that is a secret does without.
_GRAMMAR: Final = frozenset(
    (
        "is are was be not no the a an of to in on at for with by from and or must should can will"
        " has have had it that this your my our their"
    ).split()
)
_ADJECTIVE: Final = re.compile(r"[a-z-]+(?:ed|ing|able|ible|ful|less|ive|ous|ary|ally|ly)")
#: Times, versions, amounts and sizes: letters and digits, and no secret.
_MEASURE: Final = re.compile(
    r"v?[0-9]+(?:\.[0-9]+)+[a-z0-9.-]*|v[0-9]+|[0-9]+(?:[.,][0-9]+)?[a-z%+]{1,7}"
    r"|[0-9]{1,4}[-/:.][0-9]{1,2}(?:[-/:.][0-9]{1,4})?(?:t[0-9:.]+z?)?|[0-9]+-[0-9]+"
    r"|(?:min|max|at-least|step|level|phase|rev|q|h|day|week|part|page|figure)[-_]?[0-9]+"
    r"|(?:sha|aes|rsa|md|hs|rs|es|utf|base|oauth|argon|ipv|tls|http|ed|curve|x|p|is)-?[0-9]+"
    r"(?:[-_/][a-z0-9-]*)?",
    re.IGNORECASE,
)
_PIECE: Final = re.compile(r"[A-Za-z0-9]+")
_ABOUT_ITSELF: Final = re.compile(
    r"pass|secret|token|key|pwd|cred|auth|login", re.IGNORECASE
)
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:[._][A-Za-z_]\w*)+")


def is_placeholder(value: str) -> bool:
    """Whether the value stands for a secret that is not shown.

    >>> [is_placeholder(v) for v in ("<redacted>", "$DB_PASSWORD", "****", "hunter2")]
    [True, True, True, False]
    """
    return bool(_PLACEHOLDER.fullmatch(value))


def is_opaque(value: str) -> bool:
    """Whether a token, a key or a secret could look like this: long, digits among letters.

    >>> is_opaque("9f3kd82hs7xq"), is_opaque("color-primary-500"), is_opaque("v2.3.1-beta")
    (True, False, False)
    """
    if is_placeholder(value) or _MEASURE.fullmatch(value):
        return False
    pieces = _PIECE.findall(value)
    return any(map(_is_opaque_piece, pieces)) or _is_grouped(pieces) or _is_drawn(value)


def _is_drawn(value: str) -> bool:
    """Long, and both cases and a digit in it: what base 64 makes of random bytes."""
    if len(value) < 20 or not any(map(str.isdigit, value)):
        return False
    upper = sum(map(str.isupper, value))
    return upper >= 3 and sum(map(str.islower, value)) >= 3


def _is_grouped(pieces: list[str]) -> bool:
    """Whether short groups make one long row of digits and letters, with no word in it."""
    joined = "".join(pieces)
    digits = sum(map(str.isdigit, joined))
    if len(joined) < 16 or digits < 4 or len(joined) - digits < 4:
        return False
    return not any(piece.isalpha() and len(piece) > 5 for piece in pieces)


def _is_opaque_piece(piece: str) -> bool:
    digits = sum(map(str.isdigit, piece))
    letters = len(piece) - digits
    if len(piece) >= 10:
        return digits >= 2 and letters >= 2
    is_mixed = not (piece.islower() or piece.isupper() or piece.istitle())
    return len(piece) >= 8 and digits >= 1 and letters >= 2 and is_mixed


def is_password(
    value: str,
    *,
    is_pointed_at: bool = False,
    is_last: bool = False,
    is_quoted: bool = False,
) -> bool:
    """Whether a password could look like this, as it stands there.

    Args:
        value: without quotation marks and the punctuation of its sentence.
        is_pointed_at: what leads to it (a colon, an equals sign, "my password is") says
            that here comes the password itself, so that a plain word will do.
        is_last: its clause ends with it.
        is_quoted: it stands in quotation marks.
    """
    if not _may_be_secret(value):
        return False
    if " " in value:
        return is_quoted and _is_phrase(value)
    if value.isdecimal():
        return is_pointed_at or is_last
    if _mixes(value):
        return True
    return is_last and _is_plain(value) and (is_pointed_at or is_quoted or "-" in value)


def _may_be_secret(value: str) -> bool:
    if len(value) < 4 or value.isspace() or value.casefold() in _SAYING:
        return False
    return not (is_placeholder(value) or _MEASURE.fullmatch(value))


def _mixes(value: str) -> bool:
    """Digits or symbols among letters, which few other words have."""
    has_letter = any(map(str.isalpha, value))
    has_digit = any(map(str.isdecimal, value))
    has_symbol = any(not c.isalnum() and c not in "-_./'’,:;()" for c in value.rstrip("!?"))
    return has_letter and (has_digit or has_symbol)


def _is_plain(value: str) -> bool:
    """Whether it is a word, or words with hyphens, that says nothing about a password."""
    if _ABOUT_ITSELF.search(value) or _NAME.fullmatch(value):
        return False
    folded = value.casefold()
    words = folded.split("-")
    if len(words) >= 3:
        return all(len(word) >= 4 and word.isalpha() for word in words)
    return len(value) >= 5 and value.isalpha() and not _ADJECTIVE.fullmatch(folded)


def _is_phrase(value: str) -> bool:
    """Several words in quotation marks that are no sentence about the secret."""
    words = value.casefold().split()
    return 2 <= len(words) <= 12 and not _GRAMMAR.intersection(words)
