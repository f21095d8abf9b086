#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile and careless HTTP clients: each harms only itself.  After each attack an ordinary request must still be served at once."""
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib import raw  # noqa: E402
from lib.cox import PATIENCE, Server, rests, tap  # noqa: E402
from lib.raw import frame, read_all, status_of as status  # noqa: E402

PATH = "/version"
ENHANCE_YOUR_CALM = 11
GET = b"\x82\x87\x04\x08/version\x41\x01h"  # HPACK: GET https /version, authority h
POST = b"\x83\x87\x04\x08/version\x41\x01h"


def dial(server, alpn=None):
    return raw.dial(server, alpn, cert=False)


def talk(server, data):
    return raw.talk(server, data, cert=False)


def still_serves(server, what):
    try:
        code = server.get(PATH).status
    except OSError as e:
        code = e
    tap.eq(f"{what}: others are served", code, 200)


# --- HTTP/1.1 ---------------------------------------------------------------------------------------------------


def bad_heads(server):
    host = b"\r\nHost: h"
    cases = {
        "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
        "bare line feeds": (b"GET / HTTP/1.1\nHost: h\n\n", 400),
        "folded header": (b"GET / HTTP/1.1" + host + b"\r\nA: b\r\n c\r\n\r\n", 400),
        "blank before the colon": (b"POST / HTTP/1.1" + host + b"\r\nContent-Length : 3\r\n\r\nabc", 400),
        "length and chunked": (b"POST / HTTP/1.1" + host + b"\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        "two lengths": (b"POST / HTTP/1.1" + host + b"\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400),
        "NUL in a value": (b"GET / HTTP/1.1" + host + b"\r\nA: b\0c\r\n\r\n", 400),
        "bad chunk size": (b"POST / HTTP/1.1" + host + b"\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        "chunk longer than it says": (b"POST / HTTP/1.1" + host + b"\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n", 400),
        "long URL": (b"GET /" + b"a" * 20000 + b" HTTP/1.1" + host + b"\r\n\r\n", 414),
        "large header": (b"GET / HTTP/1.1" + host + b"\r\nA: " + b"a" * 70000, 431),
        "many headers": (b"GET / HTTP/1.1" + host + b"\r\na: b" * 200 + b"\r\n\r\n", 431),
        "HTTP/3.0": (b"GET / HTTP/3.0" + host + b"\r\n\r\n", 505),
    }
    for name, (data, want) in cases.items():
        tap.eq(f"{name} gives {want}", status(talk(server, data)), want)


def pipelined(server):
    request = b"GET /version HTTP/1.1\r\nHost: h\r\n\r\n"
    answer = talk(server, request * 299 + b"GET /version HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    tap.eq("300 pipelined requests are answered", answer.count(b"HTTP/1.1 200 OK"), 300)


def too_large(server):
    body = b"x" * (1 << 20)
    with dial(server) as sock:
        sock.sendall(b"POST /version HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n")
        try:
            for _ in range(8):
                sock.sendall(body)
        except OSError:
            pass
        tap.eq("a body that is too large gives 413 though the client goes on sending", status(read_all(sock)), 413)


def slow_loris(server):
    socks = []
    for i in range(100):
        sock = dial(server)
        sock.sendall(b"GET /version HTTP/1.1\r\nHost: h\r\nX: ")
        socks.append(sock)
    still_serves(server, "100 clients that never finish their head")
    end = time.monotonic() + PATIENCE
    first = socks[0]
    first.settimeout(0.5)
    answer = b""
    while time.monotonic() < end and not answer:  # a byte now and then does not buy time
        try:
            first.sendall(b"y")
            answer = first.recv(100)
        except (TimeoutError, socket.timeout):
            pass
        except OSError as e:
            answer = str(e).encode()
    tap.eq("... and are told so in the end", status(answer), 408)
    for sock in socks:
        sock.close()


def silent_connections(server):
    socks = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
    still_serves(server, "300 connections without a handshake")
    for sock in socks:
        sock.close()
    with socket.create_connection(("127.0.0.1", server.port), 5) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        tap.ok("plain text on the TLS port is turned away", not read_all(sock).startswith(b"HTTP/1.1 200"))


# --- HTTP/2 -------------------------------------------------------------------------------------------------------


def h2_dial(server):
    sock = dial(server, "h2")
    sock.sendall(raw.PREFACE + frame(4, 0, 0))
    return sock


def goaway_code(data):
    at = 0
    while at + 9 <= len(data):
        length, kind = int.from_bytes(data[at:at + 3], "big"), data[at + 3]
        if kind == 7:
            return int.from_bytes(data[at + 13:at + 17], "big")
        at += 9 + length
    return None


def h2_attack(server, name, payload, want=None):
    with h2_dial(server) as sock:
        try:
            sock.sendall(payload)
        except OSError:
            pass
        code = goaway_code(read_all(sock))
        tap.ok(f"{name}: the connection ends", code is not None and (want is None or code == want), f"GOAWAY {code}")
    still_serves(server, name)


def h2(server):
    resets = b"".join(frame(1, 5, i, GET) + frame(3, 0, i, struct.pack(">I", 8)) for i in range(1, 20001, 2))
    h2_attack(server, "rapid reset", resets, ENHANCE_YOUR_CALM)
    h2_attack(server, "settings flood", frame(4, 0, 0, b"\0\4\0\1\0\0") * 20000, ENHANCE_YOUR_CALM)
    h2_attack(server, "ping flood", frame(6, 0, 0, b"12345678") * 20000)
    h2_attack(server, "priority flood", frame(2, 0, 3, b"\0\0\0\0\x10") * 20000, ENHANCE_YOUR_CALM)
    h2_attack(server, "empty data flood", frame(1, 4, 1, POST) + frame(0, 0, 1) * 20000, ENHANCE_YOUR_CALM)
    h2_attack(server, "continuation flood", frame(1, 1, 1, GET) + frame(9, 0, 1, b"\x40\x01a\x01b" * 100) * 5000)
    h2_attack(server, "resets of our making", b"".join(frame(1, 4, i, POST) + frame(8, 0, i, b"\x7f\xff\xff\xff") for i in range(1, 20001, 2)), ENHANCE_YOUR_CALM)
    h2_attack(server, "a frame larger than allowed", b"\xff\xff\xff\0\0\0\0\0\1" + b"x" * 20000)
    h2_attack(server, "garbage", os.urandom(20000))


def hpack_bomb(server):
    before = server.rss()
    # one header of 4,000 bytes goes into the table, then each byte 0xbe names it again
    value = b"v" * 4000
    length = 4000 - 127
    literal = b"\x40\x01a\x7f" + bytes([length & 127 | 128, length >> 7]) + value
    with h2_dial(server) as sock:
        try:
            for i in range(50):
                sock.sendall(frame(1, 5, 1 + 2 * i, GET + (literal if i == 0 else b"") + b"\xbe" * 8000))
            sock.settimeout(2)
            read_all(sock)
        except OSError:
            pass
    tap.ok("headers that unpack to 32 MB a request are not kept", server.rss() - before < 64 << 20, f"{(server.rss() - before) >> 20} MB more")
    still_serves(server, "HPACK bomb")


# --- descriptors ------------------------------------------------------------------------------------------------------


def out_of_descriptors():
    with Server(wrapper=("prlimit", "--nofile=160:160")) as server:
        socks = []
        for _ in range(250):
            try:
                socks.append(socket.create_connection(("127.0.0.1", server.port), 2))
            except OSError:
                break
        tap.ok("without descriptors the server does not spin", rests(server.process.pid))
        for sock in socks:
            sock.close()
        still_serves(server, "250 connections with 160 descriptors")


def main():
    with Server() as server:
        for attack in (bad_heads, pipelined, too_large, silent_connections, h2, hpack_bomb, slow_loris):
            attack(server)
            still_serves(server, attack.__name__)
    out_of_descriptors()
    tap.done()


if __name__ == "__main__":
    main()
