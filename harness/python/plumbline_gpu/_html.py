"""Small tables for notebooks. They are readable in light, in dark, and if a viewer drops the style."""

from __future__ import annotations

from html import escape
from typing import Iterable, Mapping, Sequence

# light-dark() follows the page around the table, which may differ from the system's preference. Notebooks with a dark
# theme have these marks. Two classes override the notebooks' own rules for tables. The hues are those of
# reports/page.css.
_STYLE = """<style>
[data-jp-theme-light=false] .plumbline, .vscode-dark .plumbline { color-scheme: dark; }
.plumbline { overflow-x: auto; }
.plumbline .shown { border-collapse: collapse; margin: 0; color: inherit; font-variant-numeric: tabular-nums; }
.plumbline .shown caption { padding: 4px; text-align: left; color: inherit; font-weight: 600; }
.plumbline .shown th, .plumbline .shown td { padding: 4px 12px 4px 4px; border: 0; border-bottom: 1px solid #8888; text-align: left; vertical-align: top; max-width: 60ch; overflow-wrap: anywhere; }
.plumbline .shown th { font-weight: 400; white-space: nowrap; }
.plumbline .shown .short { white-space: nowrap; }
.plumbline .shown .number { text-align: right; white-space: nowrap; }
.plumbline td.long { min-width: 24ch; }
.plumbline .slower { color: light-dark(#b84a00, #ff9a4d); }
.plumbline .faster { color: light-dark(#0064a8, #5fb3f0); }
.plumbline .unresolved { color: light-dark(#8a5a00, #e3b04b); }
.plumbline .broken { color: light-dark(#a50f15, #ff7f7f); }
</style>
"""  # noqa: E501


def facts(title: str, rows: Iterable[tuple]) -> str:
    """Rows with a name and a text: (name, text), or (name, text, class)."""
    lines = (f'<tr><th scope="row">{escape(name)}</th>{_cell(text, *kind)}</tr>' for name, text, *kind in rows)
    return _framed(title, "".join(lines))


def table(title: str, columns: Mapping[str, str], rows: Iterable[Sequence[tuple]]) -> str:
    """Columns with their kinds: number, short (one line) or long text; a cell is (text,) or (text, class)."""
    heads = "".join(f"<th{_class(kind)}>{escape(name)}</th>" for name, kind in columns.items())
    lines = (
        "<tr>" + "".join(_cell(text, *more, kind) for (text, *more), kind in zip(row, columns.values())) + "</tr>"
        for row in rows
    )
    return _framed(title, f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody>")


def _framed(title: str, inside: str) -> str:
    inside = f"<caption>{escape(title)}</caption>{inside}"
    return f'{_STYLE}<div class="plumbline" tabindex="0"><table class="shown">{inside}</table></div>'


def _cell(text: str, *kinds: str) -> str:
    inside = escape(text)
    if "long" in kinds:  # the id of a case may break between its parts
        inside = inside.replace("/", "/<wbr>")
    return f"<td{_class(*kinds)}>{inside}</td>"


def _class(*kinds: str) -> str:
    names = " ".join(kind for kind in kinds if kind)
    return f' class="{names}"' if names else ""
