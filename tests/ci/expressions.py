"""GitHub's expressions `${{ }}`, as far as Plumbline's actions and workflows use them. Everything else is an error: a test
must not pass because it read an expression in another way than GitHub."""

import hashlib
import json
import pathlib
import re

TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w-]*)"
                   r"|(?P<sign>==|!=|&&|\|\||[!().,]))")
LITERALS = {"true": True, "false": False, "null": None}
STATUS_FUNCTIONS = {"always", "success", "failure", "cancelled"}
INSIDE = re.compile(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)


class Unknown(Exception):
    """What this reader does not know; the test must fail."""


def shown(value):
    """A value as text in a string."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (str, int, float)):
        return str(value)
    raise Unknown(f"{value!r} in a text")


def is_true(value):
    return value not in (None, False, 0, "")


def is_equal(left, right):
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    if type(left) is type(right) or {type(left), type(right)} <= {int, float}:
        return left == right
    if None in (left, right) and (isinstance(left, str) or isinstance(right, str)):
        return "" in (left, right)  # as numbers, both are 0; other texts are none
    raise Unknown(f"{left!r} == {right!r}: values of different kinds")


class Reader:
    """Evaluates one expression; `contexts`: values by name, `status`: success or failure of the steps before."""

    def __init__(self, text, contexts, status):
        self.contexts, self.status, self.text = contexts, status, text
        self.tokens, at, text = [], 0, text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Unknown(f"{text!r} at {text[at:]!r}")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.at = 0

    def next_is(self, *signs):
        return self.at < len(self.tokens) and self.tokens[self.at] in [("sign", sign) for sign in signs]

    def take(self, sign):
        if not self.next_is(sign):
            raise Unknown(f"{self.text!r}: no {sign!r} at its token {self.at + 1}")
        self.at += 1

    def whole(self):
        value = self.either()
        if self.at != len(self.tokens):
            raise Unknown(f"{self.text!r}: {self.tokens[self.at:]} is left")
        return value

    def either(self):
        value = self.both()
        while self.next_is("||"):
            self.at += 1
            other = self.both()
            value = value if is_true(value) else other
        return value

    def both(self):
        value = self.compared()
        while self.next_is("&&"):
            self.at += 1
            other = self.compared()
            value = other if is_true(value) else value
        return value

    def compared(self):
        value = self.single()
        if self.next_is("==", "!="):
            sign = self.tokens[self.at][1]
            self.at += 1
            return is_equal(value, self.single()) == (sign == "==")
        return value

    def single(self):
        if self.next_is("!"):
            self.at += 1
            return not is_true(self.single())
        if self.next_is("("):
            self.at += 1
            value = self.either()
            self.take(")")
            return value
        if self.at == len(self.tokens):
            raise Unknown(f"{self.text!r} ends too early")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return float(text)
        if kind == "sign":
            raise Unknown(f"{self.text!r}: {text!r}")
        if self.next_is("("):
            return self.called(text)
        return LITERALS[text] if text in LITERALS else self.looked_up(text)

    def called(self, name):
        self.take("(")
        arguments = []
        while not self.next_is(")"):
            if arguments:
                self.take(",")
            arguments.append(self.either())
        self.take(")")
        functions = {
            "always": lambda: True, "success": lambda: self.status == "success", "failure": lambda: self.status == "failure",
            "format": lambda pattern, *values: pattern.format(*map(shown, values)),
            "contains": lambda text, part: part.lower() in text.lower(), "fromJSON": json.loads, "hashFiles": self.hash_files,
        }
        if name not in functions:
            raise Unknown(f"{self.text!r}: the function {name}")
        return functions[name](*arguments)

    def hash_files(self, pattern):
        files = sorted(pathlib.Path(self.contexts["github"]["workspace"]).glob(pattern))
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest() if files else ""

    def looked_up(self, name):
        """`github.event` may lack a key, as in GitHub; an output that a known step did not write is empty."""
        if name not in self.contexts:
            raise Unknown(f"{self.text!r}: the context {name}")
        value, path = self.contexts[name], [name]
        while self.next_is("."):
            self.at += 1
            _, key = self.tokens[self.at]
            self.at += 1
            may_lack = path[:2] == ["github", "event"] or (path[0] in ("steps", "needs") and path[-1] == "outputs")
            path.append(key)
            if value is None and may_lack:
                continue
            if key not in value and not may_lack:
                raise Unknown(f"{self.text!r}: {'.'.join(path)}")
            value = value.get(key, "" if path[0] in ("steps", "needs") else None)
        return value


def evaluated(text, contexts, status="success"):
    """A text with its expressions replaced; a text that is one expression keeps the kind of its value."""
    if not isinstance(text, str):
        return text
    whole = INSIDE.fullmatch(text.strip())
    if whole:
        return Reader(whole[1], contexts, status).whole()
    return INSIDE.sub(lambda found: shown(Reader(found[1], contexts, status).whole()), text)


def is_run(condition, contexts, status):
    """Whether a step or job with this `if` runs; without a status function it needs success."""
    if condition is None:
        return status == "success"
    text = str(condition)
    inside = INSIDE.fullmatch(text.strip())
    text = inside[1] if inside else text
    value = is_true(Reader(text, contexts, status).whole())
    names = set(re.findall(r"([A-Za-z]+)\s*\(", re.sub(r"'(?:[^']|'')*'", "", text)))
    return value and (bool(names & STATUS_FUNCTIONS) or status == "success")
