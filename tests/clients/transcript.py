"""Transcripts: what a person types and what a cluster answers, read from text files and held against a server.

    # a comment, outside of a command's answer
    $ kubectl create ns red              a command for bash; `> ` lines go on with it
    namespace/red created                what it prints, standard error included
    $ kubectl create ns red
    Error from server (AlreadyExists): namespaces "red" already exists
    [1]                                  the exit status when it is not 0

Marks in an answer: <age> <time> <date> <uid> <ip> <hash> <server> <word> <any> stand for text that differs from run to run; a line `...` for any number of lines;
two or more blanks for any number of them, so that column widths do not matter.  In the text `\\<` is a plain `<`.

kubectl versions differ.  `@since 1.24` or `@until 1.27` before a command: only those versions run it.  `@since 1.24` inside an answer: from
that version on the answer is what follows.
"""
import os
import re
import subprocess
import time

MARKS = {
    "age": r"(?:(?:\d+[ywdhms])+|<unknown>|<invalid>)",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z",
    "date": r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}",
    "uid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "ip": r"(?:\d{1,3}\.){3}\d{1,3}",
    "hash": r"[a-z0-9]+",
    "server": r"https://[^\s/]+",
    "word": r"\S+",
    "any": r".*",
}
COMMAND_LIMIT = 60
# The versions that the transcripts were held against.  One between two of them may answer as either.
CHECKED = [(1, 20), *[(1, minor) for minor in range(27, 34)]]


def version_of(text):
    """'1.24' or 'v1.24.3-x' as (1, 24)."""
    m = re.match(r"v?(\d+)\.(\d+)", text)
    return int(m.group(1)), int(m.group(2))


class Step:
    def __init__(self, where, command):
        self.where, self.command = where, command
        self.since, self.until = (0, 0), (99, 0)
        self.answers = [((0, 0), [])]   # (first version, lines)

    def runs_with(self, version):
        return self.since <= version <= self.until

    def expected(self, version):
        """[(lines, exit status)] that this version may give."""
        near = {max([v for v in CHECKED if v <= version], default=version), min([v for v in CHECKED if v >= version], default=version)}
        found = []
        for v in sorted(near):
            lines = [a for a in self.answers if a[0] <= v][-1][1]
            status = 0
            if lines and re.fullmatch(r"\[\d+\]", lines[-1]):
                status, lines = int(lines[-1][1:-1]), lines[:-1]
            found.append((lines, status))
        return found


def parse(path):
    steps, limits = [], {}
    for number, line in enumerate(open(path, encoding="utf-8").read().split("\n"), 1):
        if line.startswith("$ "):
            step = Step(f"{os.path.basename(path)}:{number}", line[2:])
            step.since, step.until = limits.get("since", (0, 0)), limits.get("until", (99, 0))
            steps.append(step)
            limits, open_answer = {}, True
        elif line == ">" or line.startswith("> "):
            steps[-1].command += "\n" + line[2:]
        elif line == "":
            if steps:
                open_answer = False
        elif line.startswith("# ") and not (steps and open_answer):
            continue
        elif m := re.fullmatch(r"@(since|until) (\d+\.\d+)", line):
            if steps and open_answer:
                steps[-1].answers.append((version_of(m.group(2)), []))
            else:
                limits[m.group(1)] = version_of(m.group(2))
        elif steps and open_answer:
            steps[-1].answers[-1][1].append(line)
        else:
            raise ValueError(f"{path}:{number}: text outside of a command's answer: {line}")
    return steps


def line_pattern(line):
    out = ""
    for part in re.split(r"(<[a-z]+>|\\<|\s{2,})", line.rstrip()):
        if part == "\\<":
            out += "<"
        elif part.startswith("<") and part[1:-1] in MARKS:
            out += MARKS[part[1:-1]]
        elif part and not part.strip():
            out += r"\s+"
        else:
            out += re.escape(part)
    return out


def matches(lines, text):
    """Whether the printed text is what the lines say."""
    have = [line.rstrip() for line in text.split("\n")]
    have = "".join(line + "\n" for line in have if line)
    want = "".join(r"(?:.*\n)*?" if line == "..." else line_pattern(line) + r"\n" for line in lines)
    return re.fullmatch(want, have) is not None


class Runner:
    """Runs commands with one kubectl in one folder against one server."""

    def __init__(self, kubectl, version, folder, kubeconfig, server, certs):
        self.version, self.folder = version, folder
        self.env = {**os.environ, "KUBECTL": kubectl, "KUBECONFIG": kubeconfig, "HOME": folder, "SERVER": server, "CERTS": certs,
                    "TOOLS": os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools.sh"),
                    "CACHE": os.path.join(folder, "..", "cache"), "LC_ALL": "C", "TZ": "UTC", "KUBE_EDITOR": "false"}

    def run(self, command):
        begin = time.monotonic()
        try:
            done = subprocess.run(["bash", "-c", '. "$TOOLS"\n' + command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=COMMAND_LIMIT)
            return done.stdout.decode("utf-8", "replace"), done.returncode, time.monotonic() - begin
        except subprocess.TimeoutExpired as e:
            return (e.stdout or b"").decode("utf-8", "replace") + f"\nstill running after {COMMAND_LIMIT} s\n", 124, time.monotonic() - begin

    def check(self, step):
        """'' when the answer is as expected, else what is wrong."""
        text, status, seconds = self.run(step.command)
        expected = step.expected(self.version)
        if any(status == want_status and matches(lines, text) for lines, want_status in expected):
            return ""
        lines, want_status = expected[-1]
        want = "\n".join(lines) + (f"\n[{want_status}]" if want_status else "")
        return f"have:\n{text.rstrip()}" + (f"\n[{status}]" if status else "") + f"\nwant:\n{want}\n({seconds:.1f} s)"
