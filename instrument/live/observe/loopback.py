"""Servers for this machine only: which addresses these are, and which requests are meant for them.

Whoever can connect is not asked who they are by the address alone, and a page in a user's browser may ask for it under
another name (DNS rebinding): so the request must name an address of the loopback interface as its host.
"""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_meant(host: str) -> bool:
    """True if the host that a request names, with or without a port, is an address of this machine."""
    return is_loopback(host.rpartition("]")[0].strip("[") or host.partition(":")[0])
