#!/usr/bin/env python3
"""Makes the images of the guestbook out of this machine's busybox (Debian: busybox-static), as archives for `cox image load`.

    python3 examples/guestbook/images.py FOLDER          guestbook/front:1, guestbook/front:2, guestbook/entries:1
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests"))
from lib.images import build_busybox, busybox_path, file, folder, layer, symlink  # noqa: E402

WHO = "#!/bin/sh\necho Content-Type: text/plain\necho\necho \"$GREETING, version {version}, from $POD\"\n"
SIGN = "#!/bin/sh\necho Content-Type: text/plain\necho\necho \"$QUERY_STRING was here\" >> /data/entries.txt\necho thank you\n"


def front(version):
    """A web server for /www: its page is what the pod mounts at /www/page."""
    return layer([folder("www"), folder("www/cgi-bin"), symlink("www/index.html", "page/index.html"), file("www/cgi-bin/who", WHO.format(version=version), 0o755)])


def entries():
    """A web server that keeps what visitors sign in /data."""
    return layer([folder("srv"), folder("srv/cgi-bin"), symlink("srv/entries.txt", "/data/entries.txt"), file("srv/cgi-bin/sign", SIGN, 0o755)])


def build(where):
    """The archives' paths."""
    made = []
    for name, content, home in (("front:1", front(1), "/www"), ("front:2", front(2), "/www"), ("entries:1", entries(), "/srv")):
        made.append(os.path.join(where, name.replace(":", "-") + ".tar"))
        build_busybox(made[-1], "guestbook/" + name, cmd=["httpd", "-f", "-p", "8080", "-h", home], extra_layers=[content])
    return made


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not busybox_path():
        sys.exit("There is no busybox on this machine; on Debian: apt-get install busybox-static")
    print(*build(sys.argv[1]), sep="\n")
