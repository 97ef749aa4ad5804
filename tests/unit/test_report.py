"""The report of a run: complete, self-contained, safe, and the same each time."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_fixture import REQUEST, make_home
from typer.testing import CliRunner

from agent.report import build_report
from agent.report.canvas import Axis, Canvas, nice_ticks
from agent.report.quantity import Unit, duration, number, quantity, signed
from store.errors import NotFoundError

VOID = {"meta", "link", "br", "line", "rect", "circle", "polyline", "polygon"}


class Page(HTMLParser):
    """Tags balanced, text collected, every address that a browser would fetch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [v or "" for k, v in attrs if k in ("src", "href", "xlink:href", "action", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def lacks(self, *phrases: str) -> list[str]:
        """Those of the phrases that the page does not say."""
        return [phrase for phrase in phrases if " ".join(phrase.split()) not in self.text]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_home(folder)
    return folder


@pytest.fixture(scope="module")
def page(home: Path) -> Page:
    from store.ledger import Ledger

    path = build_report(Ledger(home / "ledger.duckdb"), home, "run-0001")
    assert path == home / "runs" / "run-0001" / "report.html"
    return Page(path.read_text(encoding="utf-8"))


def test_every_section_says_what_happened(page: Page) -> None:
    unsaid = page.lacks(
        REQUEST,
        "0.34 → 0.07",
        "Nothing was made of these parts of the request: with one finger",
        "8 to 18 ms",
        "30.2 to 35.8 ms",
        "Source pseudo_real: the hardware was a twin",
        "0.60 [0.46, 0.72] 30/50",
        "Verdict RECENTRE delay",
        "No other parameter comes below 1.71, so friction stays as it is.",
        "Decision.",
        "move the range of delay to 30.2 to 35.8 ms",
        "--approve twin",
        "55 rollouts done under it.",
        "1 843 200 simulated steps",
        "1 model call",
        "2 040 tokens",
        "not priced",
        "regrasp ledger verify",
    )
    assert unsaid == []
    assert not page.open
    assert page.tags.count("svg") == 4 + 2 + 2 + 4 + 1 + 1  # ranges, curves, gaps, overlays, hypotheses, effects
    assert page.text.count("missing") == 0


def test_nothing_is_fetched_and_nothing_runs(home: Path, page: Page) -> None:
    raw = (home / "runs/run-0001/report.html").read_text(encoding="utf-8")
    assert [address for address in page.fetched if address != "data:,"] == []
    assert "script" not in page.tags
    assert re.findall(r"@import|url\(|https?:", raw) == []


def test_the_same_ledger_gives_the_same_bytes(home: Path) -> None:
    from store.ledger import Ledger

    ledger = Ledger(home / "ledger.duckdb")
    first = build_report(ledger, home, "run-0001").read_bytes()
    assert build_report(ledger, home, "run-0001").read_bytes() == first
    assert first.count(ledger.rows("run-0001")[-1].hash.encode()) == 1


def test_a_request_is_text_and_never_markup(tmp_path: Path) -> None:
    bad = '<script>alert("1")</script> & {{ 7 * 7 }} <img src=x onerror=alert(1)>'
    ledger = make_home(tmp_path, bad, rounds=1, traces=False)
    page = Page(build_report(ledger, tmp_path, "run-0001").read_text(encoding="utf-8"))
    assert "script" not in page.tags and "img" not in page.tags
    assert page.lacks(bad) == []


def test_missing_artifacts_are_named_in_place(tmp_path: Path) -> None:
    ledger = make_home(tmp_path, traces=False)
    (tmp_path / "runs/run-0001/jobs/round-0-train/progress.jsonl").unlink()
    page = Page(build_report(ledger, tmp_path, "run-0001").read_text(encoding="utf-8"))
    assert (
        page.lacks(
            "runs/run-0001/jobs/round-0-train/progress.jsonl is missing",
            "The traces of this signal cannot be shown: rollout-000.parquet: the file cannot be read: it is not there.",
        )
        == []
    )
    assert page.lacks("Verdict RECENTRE delay") == []


def test_a_damaged_trace_and_half_a_line_are_named(tmp_path: Path) -> None:
    ledger = make_home(tmp_path)
    (tmp_path / "runs/run-0001/pilots/round-0/rollout-000.parquet").write_bytes(b"PAR1 no")
    progress = tmp_path / "runs/run-0001/jobs/round-1-train/progress.jsonl"
    progress.write_text(progress.read_text() + '{"t": 0, "st', encoding="utf-8")
    page = Page(build_report(ledger, tmp_path, "run-0001").read_text(encoding="utf-8"))
    assert (
        page.lacks(
            "The traces of this signal cannot be shown: rollout-000.parquet",
            "1 unreadable lines of runs/run-0001/jobs/round-1-train/progress.jsonl are left out",
        )
        == []
    )


def test_a_run_that_has_only_begun_renders(tmp_path: Path) -> None:
    ledger = make_home(tmp_path, rounds=0)
    page = Page(build_report(ledger, tmp_path, "run-0001").read_text(encoding="utf-8"))
    said = ("No pilot has been judged", "Nothing has been trained yet.", "Nothing moved, so nobody was asked.")
    assert page.lacks(*said) == []


def test_an_unknown_run_names_those_that_exist(tmp_path: Path) -> None:
    ledger = make_home(tmp_path, rounds=0)
    with pytest.raises(NotFoundError, match="run-0001"):
        build_report(ledger, tmp_path, "run-0007")


def test_the_command_names_the_file(home: Path) -> None:
    import typer

    from agent.cli.report import report

    app = typer.Typer()
    app.command()(report)
    result = CliRunner().invoke(app, ["run-0001", "--home", str(home), "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said == {"run_id": "run-0001", "report": str(home / "runs/run-0001/report.html")}


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.011, "s", "11 ms"), (1.5, "s", "1.5 s"), (0.0021, "m/N", "2.1 mm/N"), (0.5, "1", "0.5"), (0.0, "s", "0 s"),
     (-0.021, "rad", "\u221221 mrad"), (0.1, "kg", "100 g"), (1234567.0, "1", "1.23e+06"), (0.0004, "1", "0.0004")],
)  # fmt: skip
def test_quantities_read_as_people_write_them(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_numbers() -> None:
    assert Unit.fit("s", [0.008, 0.018]).span(0.008, 0.018) == "8 to 18 ms"
    assert (signed(0.335), signed(-0.004), signed(-0.2)) == ("+0.34", "0.00", "\u22120.20")
    assert (duration(8.44), duration(125), duration(11400)) == ("8.4 s", "2 min 05 s", "3 h 10 min")
    assert number(12288) == "12288"


def test_axes() -> None:
    assert nice_ticks(0, 1, 5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert Axis(0.1, 2, 0, 100, log=True).ticks() == pytest.approx([0.1, 0.2, 0.5, 1, 2])
    assert Axis(0, 10, 100, 200).px(5) == 150


def test_figures_escape_their_text() -> None:
    canvas = Canvas(10, 10, 'a "label" <b>')
    canvas.text((0, 0), "<b>&", '"')
    drawn = str(canvas.markup())
    assert "<b>" not in drawn and "&lt;b&gt;&amp;" in drawn and 'fill="&quot;"' in drawn
