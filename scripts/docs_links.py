"""Hooks of MkDocs. Links from docs/ to files of the tree work as they are on GitHub. On the site such a link leads to a
copy of the file if the site needs it (pictures, but not Markdown), else to its place in the repository. The dialog of
the search gets a name for screen readers, which the theme leaves out.

$PLUMBLINE_REPOSITORY is the address of the repository's files, such as https://host/owner/plumbline/blob/main. Without
it, such a link becomes the file's path as text.
"""

import os
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = os.environ.get("PLUMBLINE_REPOSITORY", "").rstrip("/")
PICTURES = {".png", ".svg"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)]*)?\)")


def place(page, link):
    """The linked file by its path in the tree, or None if the link stays within docs/ or leads elsewhere."""
    if "://" in link:
        return None
    target = (ROOT / "docs" / page.file.src_uri).parent.joinpath(link).resolve()
    if target.is_relative_to(ROOT / "docs"):
        return None
    if not target.exists():
        raise FileNotFoundError(f"{page.file.src_uri}: {link} leads nowhere")
    return target.relative_to(ROOT).as_posix()


def on_page_markdown(markdown, page, config, files):
    depth = "../" * page.file.src_uri.count("/")

    def rewritten(match):
        picture, text, link, anchor = match[1], match[2], match[3], match[4] or ""
        path = place(page, link)
        if path is None:
            return match[0]
        if picture:
            return f'<img src="{depth}pictures/{pathlib.PurePosixPath(path).name}" alt="{text}">'
        if REPOSITORY:
            return f"[{text}]({REPOSITORY}/{path}{anchor})"
        return text if path in text or text.strip("`") == path else f"{text} (`{path}`)"

    return LINK.sub(rewritten, markdown)


def on_post_page(output, page, config):
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')


def on_post_build(config):
    folder = pathlib.Path(config["site_dir"]) / "pictures"
    folder.mkdir(exist_ok=True)
    for picture in (ROOT / "reports").iterdir():
        if picture.suffix in PICTURES:
            shutil.copy(picture, folder)
