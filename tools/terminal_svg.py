#!/usr/bin/env python3
"""Draws a transcript as a picture of a terminal, for pages that cannot run anything.

    tools/terminal_svg.py docs/pictures/terminal.txt > docs/pictures/terminal.svg

Lines that begin with "$ " are what was typed, the rest is what came back.  Nothing else is understood: the picture shows the transcript, no more.
"""
import html
import sys

CELL, LINE, PAD, BAR = 8.43, 19, 18, 34
COLOURS = {"back": "#10212b", "bar": "#1c3442", "text": "#d7e3ea", "typed": "#ffffff", "prompt": "#52c7a2"}
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def row(number, line):
    y = BAR + PAD + number * LINE
    text = html.escape(line, quote=False)
    if line.startswith("$ "):
        text = f'<tspan fill="{COLOURS["prompt"]}">$</tspan><tspan fill="{COLOURS["typed"]}" font-weight="600"> {html.escape(line[2:], quote=False)}</tspan>'
    return f'  <text x="{PAD}" y="{y}" xml:space="preserve">{text}</text>'


def draw(lines, title):
    width = round(max(map(len, lines)) * CELL + 2 * PAD)
    height = BAR + 2 * PAD + (len(lines) - 1) * LINE
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">',
           f"  <title>{html.escape(title)}</title>",
           f'  <rect width="{width}" height="{height}" rx="9" fill="{COLOURS["back"]}"/>',
           f'  <path d="M0 {BAR - 8}V9a9 9 0 0 1 9-9H{width - 9}a9 9 0 0 1 9 9V{BAR - 8}z" fill="{COLOURS["bar"]}"/>']
    out += [f'  <circle cx="{PAD + 18 * i}" cy="{(BAR - 8) / 2}" r="5.5" fill="{c}"/>' for i, c in enumerate(("#ec6a5e", "#f4bf4f", "#61c554"))]
    out.append(f'  <g font-family="{FONT}" font-size="14" fill="{COLOURS["text"]}">')
    out += [row(n, line) for n, line in enumerate(lines) if line]
    out += ["  </g>", "</svg>"]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = [line.rstrip() for line in f]
    while lines and not lines[-1]:
        lines.pop()
    sys.stdout.write(draw(lines, "A terminal: make up, then kubectl against the cluster"))


if __name__ == "__main__":
    main()
