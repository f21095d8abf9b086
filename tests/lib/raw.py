"""Bytes on the wire, for clients that ordinary libraries would not let us be: TLS sockets and HTTP/2 frames by hand."""
import json
import socket
import ssl
import struct
import time

from lib.cox import PATIENCE

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def dial(server, alpn=None, cert=True, timeout=PATIENCE, receive_buffer=0):
    """A TLS connection, with the admin's certificate unless told otherwise."""
    context = server.ssl_context(cert)
    if alpn:
        context.set_alpn_protocols([alpn])
    sock = socket.socket()
    sock.settimeout(timeout)
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.connect(("127.0.0.1", server.port))
    return context.wrap_socket(sock, server_hostname="127.0.0.1")


def send(sock, data):
    """False when the server closed meanwhile: for attacks, that is an answer."""
    try:
        sock.sendall(data)
        return True
    except OSError:
        return False


def read_all(sock, limit=1 << 30):
    """Everything until the server closes; what came before a reset or a time-out counts too."""
    data = bytearray()
    try:
        while len(data) < limit:
            part = sock.recv(65536)
            if not part:
                break
            data += part
    except (OSError, ValueError):
        pass
    return bytes(data)


def talk(server, data, **kw):
    with dial(server, **kw) as sock:
        send(sock, data)
        return read_all(sock)


def status_of(answer):
    """Status code of the first answer in HTTP/1.1 bytes, or the bytes themselves."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else answer[:60]


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def hpack_int(value, bits, first=0):
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out, value = bytearray([first | limit]), value - limit
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def hpack(headers):
    """Literals that go into no table."""
    out = b""
    for name, value in headers:
        name, value = name.encode(), value.encode() if isinstance(value, str) else value
        out += b"\0" + hpack_int(len(name), 7) + name + hpack_int(len(value), 7) + value
    return out


class H2:
    """An HTTP/2 connection: requests as frames, answers by stream.  Header blocks of answers are not decoded; a Status in the body has the code."""

    def __init__(self, server, window=(1 << 31) - 1, hello=True, **kw):
        self.sock = dial(server, "h2", **kw)
        self.buffer, self.bodies, self.ended, self.reset = b"", {}, set(), {}
        self.goaway, self.closed, self.next_id = None, False, 1
        if hello:
            self.sock.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, window)) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", (1 << 31) - 1 - 65535)))

    def request(self, method, path, body=b"", headers=()):
        """Bytes of one request, and its stream."""
        stream, self.next_id = self.next_id, self.next_id + 2
        block = hpack([(":method", method), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", path), *headers])
        data = frame(HEADERS, END_HEADERS | (0 if body else END_STREAM), stream, block)
        for at in range(0, len(body), 16384):
            data += frame(DATA, END_STREAM if at + 16384 >= len(body) else 0, stream, body[at:at + 16384])
        return data, stream

    def pump(self, timeout):
        """Reads what is there and takes it apart; False when nothing came, or the connection ended."""
        self.sock.settimeout(timeout)
        try:
            part = self.sock.recv(1 << 18)
        except (TimeoutError, socket.timeout):
            return False
        except (OSError, ssl.SSLError):
            part = b""
        if not part:
            self.closed = True
            return False
        self.buffer += part
        while len(self.buffer) >= 9:
            length = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + length:
                break
            self.take(self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big") & 0x7fffffff, self.buffer[9:9 + length])
            self.buffer = self.buffer[9 + length:]
        return True

    def take(self, kind, flags, stream, payload):
        if kind == DATA:
            self.bodies[stream] = self.bodies.get(stream, b"") + payload
        elif kind == RST_STREAM:
            self.reset[stream] = int.from_bytes(payload, "big")
        elif kind == GOAWAY:
            self.goaway = int.from_bytes(payload[4:8], "big")
        elif kind == SETTINGS and not flags & ACK:
            send(self.sock, frame(SETTINGS, ACK, 0))
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            self.ended.add(stream)

    def wait(self, condition, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while not condition() and not self.closed and time.monotonic() < end:
            self.pump(0.2)
        return condition()

    def json(self, stream):
        return json.loads(self.bodies[stream])

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
