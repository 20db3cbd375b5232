"""Addresses that people write: what is wrong with them, and what is not connected to."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address

import httpx
import pytest

from memory.adapters.language_models.addresses import address_fault, is_public, same_server
from memory.adapters.language_models.http import HttpLanguageModel, PublicTransport
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import ScriptedServer
from memory.core.errors import ModelRefused
from memory.core.types import Message, MessageRole, Prompt, SamplingConfig

ASKED = Prompt((Message(MessageRole.USER, "Hello"),))


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:11434/v1", "https://api.example.com/v1", "http://[::1]:8000", "http://vllm/v1"]
)
def test_address_of_a_server_has_no_fault(address):
    assert address_fault(address) == ""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ftp://example.com", "no address of a server"),
        ("file:///etc/passwd", "no address of a server"),
        ("http://", "no address of a server"),
        ("http://[::1/v1", "no address of a server"),
        ("http://host:99999/v1", "no address of a server"),
        ("http://host name/v1", "no address of a server"),
        ("http://me:secret@host/v1", "a key has a field of its own"),
        ("http://host/v1?key=secret", "Leave out what follows the path"),
        ("http://host/v1#x", "Leave out what follows the path"),
    ],
)
def test_fault_of_an_address_is_a_sentence(address, words):
    assert words in address_fault(address)
    assert "secret" not in address_fault(address)


def test_same_server_has_the_same_scheme_host_and_port():
    assert same_server("https://a/v1", "https://a/v2")
    assert not same_server("https://a/v1", "http://a/v1") and not same_server("https://a/v1", "https://a:8443/v1")


PRIVATE = [
    "127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "0.1.2.3", "100.64.0.1", "100.100.100.200", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "168.63.129.16", "192.0.0.192",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.216.34", "168.63.129.17"]


def carriers(address: str) -> list[str]:
    """Return the addresses of version 6 that carry an address: mapped, by NAT64, by 6to4."""
    high, low = IPv4Address(address).packed[:2].hex(), IPv4Address(address).packed[2:].hex()
    return [f"::ffff:{address}", f"64:ff9b::{address}", f"2002:{high}:{low}::1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_not_public_whatever_carries_them(address):
    seen = [address, *carriers(address), f"::{address}", f"::ffff:0:{address}", f"64:ff9b:1::{address}"]
    assert [one for one in seen if is_public(one)] == []


@pytest.mark.parametrize(
    "address",
    [
        "::1",
        "::",
        "fe80::1%1",
        "fd00::1",
        "fd00:ec2::254",
        "ff02::1",
        "fec0::1",
        "feff::1",
        "64:ff9b:1::8.8.8.8",
        "2001:0:5ef5:79fb::1",
        "2001:0:808:808::1",
        "::8.8.8.8",
        "2001:db8::1",
    ],
)
def test_private_addresses_of_version_6_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", [*PUBLIC, "2606:4700::1111", "2001:4860:4860::8888"])
def test_public_addresses_are_public_whatever_carries_them(address):
    seen = [address, *(carriers(address) if address in PUBLIC else [])]
    assert [one for one in seen if not is_public(one)] == []


def test_model_that_may_only_be_public_is_not_asked_in_a_private_network():
    with ScriptedServer([Rule(reply="Hello.")]) as running:
        asked = HttpLanguageModel(running.base_url, "sk-secret", "scripted", only_public=True)
        (outcome,) = asked.complete_many([ASKED], config=SamplingConfig())
        assert isinstance(outcome, ModelRefused) and "DSMART_PRIVATE_ADDRESSES" in str(outcome)
        with pytest.raises(ModelRefused, match="in a private network"):
            list(asked.stream(ASKED, config=SamplingConfig()))
        assert asked.models() is None and running.requests == []


def test_connection_goes_to_the_address_that_was_looked_at_under_the_servers_own_name(monkeypatch):
    asked, seen = [], []

    def looked_up(name, port, **_):
        asked.append(name)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 0))]

    def handle(self, request):
        seen.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        return httpx.Response(200)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    httpx.Client(transport=PublicTransport()).get("https://api.example.com:8443/v1/models")
    assert asked == ["api.example.com"]
    assert seen == [("93.184.216.34", "api.example.com:8443", "api.example.com")]


def test_name_with_a_private_address_among_its_addresses_is_refused(monkeypatch):
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 0)) for ip in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    with pytest.raises(ModelRefused, match=r"api\.example\.com is in a private network"):
        httpx.Client(transport=PublicTransport()).get("https://api.example.com/")
