"""Several figures side by side in one SVG file that stands alone."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from agent.report.figures import WIDTH

ROW, GAP, HEAD = 250.0, 30.0, 22.0


def sheet(figures: Sequence[tuple[str, Markup]], columns: int = 2, notes: str = "") -> str:
    """Figures with a heading each, row by row, and a line below them that may hold SVG elements."""
    parts = []
    for i, (title, figure) in enumerate(figures):
        x, y = (i % columns) * (WIDTH + GAP), (i // columns) * (ROW + HEAD)
        parts.append(f'<text x="{x}" y="{y + 14}" font-size="12" fill="#333">{escape(title)}</text>')
        parts.append(str(figure).replace("<svg ", f'<svg x="{x}" y="{y + HEAD}" width="{WIDTH}" height="{ROW}" '
                                         'preserveAspectRatio="xMinYMin" ', 1))  # fmt: skip
    width, height = columns * (WIDTH + GAP), -(-len(figures) // columns) * (ROW + HEAD) + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -4 {width + 10:.0f} {height:.0f}" '
        f'font-family="sans-serif"><rect x="-10" y="-4" width="100%" height="100%" fill="#fff"/>'
        f'{"".join(parts)}<g transform="translate(0 {height - 16:.0f})">{notes}</g></svg>\n'
    )
