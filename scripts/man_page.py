"""The manual page docs/plumbline.1, made from what `plumbline --help` says and from tables of docs/reference.

Knows no program: scripts/reference hands it the texts. The page is written in roff, as man(7) describes it.
"""

import itertools
import re
import textwrap

COLUMN = 34  # where the descriptions of help begin: harness/cli/main.cpp
CHARACTERS = {
    "\\": "\\e", "-": "\\-", "~": "\\(ti", "^": "\\(ha", "`": "\\(ga", "…": "...", "×": "\\(mu", "±": "\\(+-",
    "→": "\\(->", "–": "\\(en", "—": "\\(em", "≥": "\\(>=", "≤": "\\(<=", "α": "\\(*a", "’": "'",
}  # fmt: skip


def entries_of(paragraph):
    """(name, description) of each command, argument or flag in a list of them; empty for other paragraphs."""
    heading, *lines = paragraph.splitlines()
    entries = []
    for line in lines:
        if entries and line.startswith(" " * COLUMN):
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}".strip())
        elif re.match(r"  \S", line) and (line[COLUMN - 2 : COLUMN] == "  " or len(line) < COLUMN or line[2] == "-"):
            is_alone = line[COLUMN - 2 : COLUMN].strip() != ""  # longer than the column; the description is below it
            name, text = (line, "") if is_alone else (line[:COLUMN], line[COLUMN:])
            entries.append((re.sub(r"  +", " ", name.strip()), text.strip()))
        else:
            return []
    return entries if heading.endswith(":") else []


class Help:
    """What `plumbline … --help` says, taken apart."""

    def __init__(self, text):
        first, *paragraphs = text.strip().split("\n\n")
        self.what, usage = first.rsplit("\nUsage: ", 1)
        self.usage = " ".join(usage.split())
        lists = [entries_of(paragraph) for paragraph in paragraphs]
        self.entries = [entry for entries in lists for entry in entries]
        self.behind = "\n\n".join(paragraph for paragraph, entries in zip(paragraphs, lists) if not entries)

    def commands(self):
        return [name for name, _ in self.entries if re.fullmatch(r"[a-z][a-z-]*", name)]


def rows_below(heading, markdown):
    """Cells of the table below a heading of a page, as plain texts, without the table's head and links in brackets."""
    part = re.split(rf"^#+ {re.escape(heading)}$", markdown, flags=re.MULTILINE)[1]
    lines = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)[0].splitlines()[2:]
    plain = [re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", line).replace("`", "") for line in lines]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in plain]


def roff(text, width=78):
    """A text that roff prints as it is, in lines of this width."""
    text = "".join(CHARACTERS.get(character, character) for character in text)
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def tagged(name, text):
    return f".TP\n\\fB{roff(name)}\\fR\n{roff(text)}\n"


def prose(text):
    """What help says behind its lists: lines that are set in by blanks stay as they are, the others are filled, and what
    begins with `Exit codes:` or another label begins a line."""
    found = ""
    for is_set_in, lines in itertools.groupby(text.splitlines(), lambda line: line.startswith(" ")):
        if is_set_in:
            found += ".nf\n" + "".join(f"{roff(line, 200).lstrip()}\n" for line in lines) + ".fi\n"
            continue
        for line in "\n".join(lines).replace("\n\n", "\n").splitlines():
            found += (".br\n" if re.match(r"[A-Z][a-z ]+: |[A-Z].*:$", line) else "") + roff(line) + "\n"
    return f".PP\n{found.removeprefix('.br' + chr(10))}" if found else ""


def command_part(text, usual):
    """A command: its usage, what it does, arguments and flags, and what its help says behind them, if that is its own."""
    entries = [tagged(*entry) for entry in text.entries if entry[0] != "-h,--help"]
    behind = "" if text.behind == usual else text.behind
    return f".SS {roff(text.usage)}\n{roff(text.what)}\n{''.join(entries)}{prose(behind)}"


def man_page(version, helps, files):
    """`helps`: words of a command → its Help, () for the program; `files`: the text of docs/reference/files.md."""
    program = helps[()]
    commands = "".join(command_part(text, program.behind) for words, text in helps.items() if words)
    codes = re.findall(r"(\d+) ([^;.]+)", program.behind.split("Exit codes:")[1].split("Environment:")[0])
    return (
        ".\\\" Made by scripts/reference.\n"
        f'.TH PLUMBLINE 1 "" "plumbline {version}" "User Commands"\n'
        ".SH NAME\nplumbline \\- measures GPU deep\\-learning ops and says which one got slower\n"
        f".SH SYNOPSIS\n.B {roff(program.usage)}\n"
        f".SH DESCRIPTION\n{roff(program.what)}\n"
        + "".join(tagged(*entry) for entry in program.entries if entry[0].startswith("-"))
        + f".SH COMMANDS\nEach command knows \\fB\\-\\-help\\fR.\n{commands}"
        + ".SH EXIT STATUS\n" + "".join(tagged(code, " ".join(what.split())) for code, what in codes)
        + ".SH ENVIRONMENT\n" + "".join(tagged(*row) for row in rows_below("Environment variables", files))
        + ".SH FILES\n" + "".join(tagged(name, what) for name, what, _ in rows_below("Files", files))
        + ".SH SEE ALSO\nThe documentation in\n.I docs/\nof the repository; each command's "
        "\\fBplumbline\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR.\n"
    )  # fmt: skip
