r"""Bytes as an alphabet of 256 symbols, in which every text can be written.

A vocabulary of characters always lacks some character. UTF-8 writes every character as one to four
bytes, and there are 256 bytes, so a tokenizer that starts from bytes never needs `<unk>`.

Vocabularies are stored in JSON, which holds text and not bytes. GPT-2 therefore *spells* each byte
as a visible character: the printable ones of Latin-1 as themselves, the other 68 as the characters
from U+0100 on. That is where the "Ġ" in vocabulary files comes from: it is the space.
"""

from __future__ import annotations

__all__ = [
    "BYTES",
    "BYTE_ALPHABET",
    "bytes_to_unicode",
    "readable",
    "split_bytes",
    "unicode_to_bytes",
]

BYTES = [bytes([i]) for i in range(256)]  # b"\x00", b"\x01", ...

_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_SPELLING = {byte: chr(byte) for byte in _PRINTABLE}
_SPELLING |= {byte: chr(0x100 + place) for place, byte in enumerate(_OTHERS)}
_BYTE_OF = {char: byte for byte, char in _SPELLING.items()}

# Sorted by their spelling, which is the order of their ids: "!" comes first, the space late.
BYTE_ALPHABET = sorted(BYTES, key=lambda symbol: _SPELLING[symbol[0]])


def split_bytes(text: str) -> tuple[bytes, ...]:
    r"""The UTF-8 bytes of a text, one symbol each.

    >>> split_bytes("hé")
    (b'h', b'\xc3', b'\xa9')
    """
    return tuple(map(BYTES.__getitem__, text.encode("utf-8")))


def bytes_to_unicode(token: bytes) -> str:
    r"""Write bytes as the visible characters that vocabulary files use.

    Source: `bytes_to_unicode` in the code published with GPT-2.

    >>> bytes_to_unicode(b" cat\n"), bytes_to_unicode("é".encode())
    ('ĠcatĊ', 'Ã©')
    """
    return "".join(map(_SPELLING.__getitem__, token))


def unicode_to_bytes(spelling: str) -> bytes:
    """The bytes that `bytes_to_unicode` would write like this.

    Raises:
        ValueError: a character is not among the 256.

    >>> unicode_to_bytes("ĠcatĊ")
    b' cat\\n'
    >>> unicode_to_bytes("my cat")
    Traceback (most recent call last):
    ValueError: 'my cat' is not written in the byte alphabet, which lacks ' '
    """
    try:
        return bytes(map(_BYTE_OF.__getitem__, spelling))
    except KeyError as error:
        said = f"{spelling!r} is not written in the byte alphabet, which lacks {error}"
        raise ValueError(said) from None


def readable(token: bytes) -> str:
    r"""A token in readable form: its text, or its bytes if they are not complete characters.

    >>> readable(b" cat"), readable("€".encode()), readable("€".encode()[:2])
    (' cat', '€', '<0xE2><0x82>')
    """
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in token)
