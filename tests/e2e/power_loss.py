"""The states of a folder that a power loss can leave, from the record of what a program changed in it.

The record is that of tests/support/failing_calls/record.h. What the model keeps after a power loss is what POSIX
promises: the bytes of a file up to its last fsync, and the names in a folder up to the folder's last fsync. Names
that came later may be there or not: a state is made for both.
"""

import dataclasses
import pathlib


@dataclasses.dataclass
class File:
    """Bytes as programs see them, and as the disk has them."""

    seen: bytearray = dataclasses.field(default_factory=bytearray)
    kept: bytes = b""


@dataclasses.dataclass
class Folder:
    """Names as programs see them, and as the disk has them: {name: node}."""

    seen: dict = dataclasses.field(default_factory=dict)
    kept: dict = dataclasses.field(default_factory=dict)


def read_record(path):
    """The changes as lists of words; the last word of a write is its bytes."""
    rest = memoryview(pathlib.Path(path).read_bytes())
    while rest:
        end = bytes(rest).index(b"\n")
        words = bytes(rest[:end]).decode().split("\t")
        rest = rest[end + 1 :]
        if words[0] == "write":
            count = int(words[3])
            words[3] = bytes(rest[:count])
            rest = rest[count + 1 :]
        yield words


class Disk:
    """What a folder holds, while a record is replayed. At first all of it is on the disk."""

    def __init__(self, root, start):
        self.root = str(root)
        self.nodes = {}  # by inode
        self.top = self.load(pathlib.Path(start), pathlib.Path(root))

    def load(self, start, root):
        """`start` is a copy of what `root` held before; inodes are those of `root`."""
        if start.is_dir():
            node = Folder()
            for entry in start.iterdir():
                node.seen[entry.name] = self.load(entry, root / entry.name)
            node.kept = dict(node.seen)
        else:
            content = start.read_bytes()
            node = File(bytearray(content), content)
        return node

    def name_inodes(self, inodes):
        """{path: inode} of what was there before the program began."""
        for path, inode in inodes.items():
            self.nodes[inode] = self.find(path)

    def find(self, path):
        node = self.top
        for part in pathlib.Path(path).relative_to(self.root).parts:
            node = node.seen[part]
        return node

    def place(self, path):
        """The folder of a path, and its name there."""
        whole = pathlib.Path(path)
        return self.find(whole.parent), whole.name

    def put(self, path, inode, node):
        folder, name = self.place(path)
        folder.seen[name] = self.nodes[inode] = node

    def apply(self, words):
        what = words[0]
        if what == "create":
            self.put(words[2], words[1], File())
        elif what == "mkdir":
            self.put(words[2], words[1], Folder())
        elif what == "write":
            file, offset, content = self.nodes[words[1]], int(words[2]), words[3]
            file.seen.extend(bytes(max(0, offset - len(file.seen))))
            file.seen[offset : offset + len(content)] = content
        elif what == "truncate":
            file, size = self.nodes[words[1]], int(words[2])
            file.seen[:] = file.seen[:size] + bytes(max(0, size - len(file.seen)))
        elif what == "sync":
            node = self.nodes.get(words[1])
            if isinstance(node, File):
                node.kept = bytes(node.seen)
            elif node:
                node.kept = dict(node.seen)
        elif what == "rename":
            old, old_name = self.place(words[1])
            new, new_name = self.place(words[2])
            new.seen[new_name] = old.seen.pop(old_name)
        else:  # unlink, rmdir
            folder, name = self.place(words[1])
            folder.seen.pop(name)

    def state(self, has_names, has_bytes=False):
        """{path: bytes, or None of a folder} after a power loss. `has_names`: later names are there, too."""
        found = {}

        def look(node, path):
            if isinstance(node, File):
                found[path] = bytes(node.seen) if has_bytes else node.kept
                return
            found[path] = None
            for name, inner in (node.seen if has_names else node.kept).items():
                look(inner, f"{path}/{name}" if path else name)

        look(self.top, "")
        return found


def states(root, start, inodes, record):
    """All different states, each with the last change before the power went."""
    disk = Disk(root, start)
    disk.name_inodes(inodes)
    known = set()
    for words in (["nothing"], *read_record(record)):
        if words[0] != "nothing":
            disk.apply(words)
        for state in left_by(disk):
            key = frozenset(state.items())
            if key not in known:
                known.add(key)
                yield " ".join(str(word) for word in words[:3]), state


def last_states(root, start, inodes, record):
    """Those after the program had ended."""
    disk = Disk(root, start)
    disk.name_inodes(inodes)
    for words in read_record(record):
        disk.apply(words)
    return left_by(disk)


def left_by(disk):
    """Only what was synced; with the later names; with the later bytes, too."""
    return [disk.state(False), disk.state(True), disk.state(True, True)]


def write_state(state, folder):
    for path, content in state.items():
        place = pathlib.Path(folder) / path
        if content is None:
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.write_bytes(content)


def inodes_of(root):
    return {str(path): str(path.stat().st_ino) for path in (root, *root.rglob("*"))}
