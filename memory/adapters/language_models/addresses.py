"""Addresses of servers that people write into a page: what is wrong with one, and connections to public ones only."""

import ipaddress
import socket
from typing import Any
from urllib.parse import urlsplit

from memory.core.errors import ModelRefused

NAT64 = ipaddress.ip_network("64:ff9b::/96")
# What `is_global` lets pass, in some versions of Python: a cloud's own servers, protocols' addresses, NAT64 of one network.
NEVER_PUBLIC = [ipaddress.ip_network(one) for one in ("168.63.129.16", "192.0.0.0/24", "64:ff9b:1::/48", "2001::/23")]


def address_fault(address: str) -> str:
    """Return in a sentence what is wrong with the address of a server, "" where nothing is."""
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or any(char.isspace() or not char.isprintable() for char in address):
        return "That is no address of a server. Write one such as http://127.0.0.1:11434/v1."
    if parts.username or parts.password:
        return "Leave the name and the password out of the address; a key has a field of its own."
    if parts.query or parts.fragment:
        return "Leave out what follows the path of the address (from ? or # on)."
    return ""


def same_server(one: str, other: str) -> bool:
    """Return whether two addresses are of one server, so that a key of the one may be sent to the other."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]


def public_address(name: str) -> str:
    """Return an address that a name stands for. Raises `ModelRefused` where one of them is not public."""
    try:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        import httpx

        raise httpx.ConnectError(f"{name} is not known") from error
    if not all(is_public(address) for address in found):
        raise ModelRefused(
            f"{name} is in a private network, and engines are added here from public ones only. "
            "Whoever runs this product may allow it by DSMART_PRIVATE_ADDRESSES."
        )
    return found[0]


def is_public(address: str) -> bool:
    """Return whether an address is of the public Internet, and so is the IPv4 one that it carries, if it carries one."""
    ip: Any = ipaddress.ip_address(address)
    if ip.version == 6:
        carried = ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(ip.packed[12:]) if ip in NAT64 else None)
        ip = carried or ip
    is_inner = ip.is_multicast or ip.is_reserved or getattr(ip, "is_site_local", False)
    return ip.is_global and not is_inner and not any(ip in network for network in NEVER_PUBLIC)
