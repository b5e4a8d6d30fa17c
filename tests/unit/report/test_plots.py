"""Pictures: what is in them, and that they are files like any other."""

import io
import shutil
import struct
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text

from factable import Example, MissingExtraError, Record, Table, UsageError
from factable.core.registry import parse
from factable.report.plots.figures import (
    MAX_DOTS,
    draw_comparison,
    draw_correlations,
    draw_coverage,
    draw_curves,
    draw_distributions,
    draw_scatter,
)
from factable.report.plots.labels import avoid_overlap, wrap
from factable.report.plots.style import PAGE, PALETTE, RESOLUTION, TEX_PROGRAMS, Look, image_format, save
from factable.study.comparison import compare_systems
from factable.study.divergence import study_divergence
from factable.study.panel import score_panel
from factable.study.ratings import study_ratings

TABLE = Table((Record("", "animal", "cat"), Record("", "place", "old mat")))
REFERENCE = "the cat sat on the old red mat by the door"
SYSTEMS = ("alpha", "beta", "gamma", "delta")
METRICS = ("parent", "bleu", "ter", "parent(mix=0.5)")
# The pictures are drawn once for all tests of them.
pytestmark = pytest.mark.xdist_group("plots")
HARMFUL = ("$x_{1$", "<script>alert(1)</script>", "名前 🙂", "\x1b[31m\n\u202e", "_hidden", "", "a & b")


def make_panel(systems=SYSTEMS, items=6, ratings=("semantics", "fluency"), metrics=METRICS):
    generator = np.random.default_rng(3)
    examples = []
    for item in range(items):
        for quality, system in enumerate(systems, 1):
            words = REFERENCE.split()[: 2 * quality + int(generator.integers(0, 3))]
            human = {name: quality + generator.random() for name in ratings} | {"entailed": item % 2}
            examples.append(Example(f"i{item}", system, " ".join(words), TABLE, (REFERENCE,), human))
    return score_panel([examples], [parse(metric) for metric in metrics])


def draw_all(panel):
    """Every kind of picture by its name."""
    humans = [name for name in panel.ratings if name != "entailed"]
    found = study_ratings(panel, humans=humans, draws=20)
    texts = study_ratings(panel, humans=humans, level="example", draws=0)
    return {
        "correlations": draw_correlations(found),
        "distributions": draw_distributions(found),
        "scatter of systems": draw_scatter(panel, found),
        "scatter of texts": draw_scatter(panel, texts),
        "coverage": draw_coverage(study_divergence(panel).coverage),
        "curves": draw_curves(study_divergence(panel, panel.result.metrics, draws=20).divergence),
        "comparison": draw_comparison(compare_systems(panel, draws=200)),
    }


PICTURES = (
    "correlations",
    "distributions",
    "scatter of systems",
    "scatter of texts",
    "coverage",
    "curves",
    "comparison",
)


@pytest.fixture(scope="module")
def pictures():
    return draw_all(make_panel())


def written(figure, shape):
    stream = io.BytesIO()
    save(figure, stream, shape)
    return stream.getvalue()


def texts_of(svg):
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", PICTURES)
def test_png_has_the_size_it_should_have(pictures, name):
    png = written(pictures[name], "png")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    inches = pictures[name].get_size_inches()
    assert width == pytest.approx(inches[0] * RESOLUTION, abs=1)
    assert height == pytest.approx(inches[1] * RESOLUTION, abs=1)
    assert inches[0] <= PAGE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("correlations", {*METRICS, "semantics", "fluency"}),
        ("distributions", {*METRICS, "semantics", "fluency"}),
        ("scatter of systems", {*SYSTEMS, "parent", "bleu", "ter ↓", "semantics", "fluency"}),
        ("scatter of texts", {"parent", "ter ↓", "semantics"}),
        ("coverage", {"share of the data in the references (1 − λ)", "share of 6 items"}),
        ("curves", {*METRICS, "semantics", "fluency"}),
        ("comparison", {*METRICS, *SYSTEMS}),
    ],
)
def test_svg_has_the_names_as_text(pictures, name, expected):
    assert expected <= set(texts_of(written(pictures[name], "svg")))


def test_values_are_those_of_the_study():
    panel = make_panel()
    found = study_ratings(panel, humans=["semantics"], draws=20)
    values = [one.statistics["pearson"].value for one in found.agreements]
    shown = texts_of(written(draw_correlations(found), "svg"))
    assert {f"{value:.3f}" for value in values} <= set(shown)
    # The best is at the top, which is drawn first.
    names = [text for text in shown if text in METRICS]
    assert names == [
        one.metric for one in sorted(found.agreements, key=lambda a: -a.statistics["pearson"].value)
    ]
    points = texts_of(written(draw_scatter(panel, found), "svg"))
    assert [text for text in points if text.startswith("r = ")] == [f"r = {value:.2f}" for value in values]


def test_undefined_is_said():
    examples = [
        Example(f"i{item}", system, "cat", TABLE, (REFERENCE,), {"semantics": item, "entailed": item % 2})
        for item in range(4)
        for system in SYSTEMS
    ]
    panel = score_panel([examples], [parse("parent"), parse("bleu")])
    found = study_ratings(panel, humans=["semantics"], draws=5)
    assert texts_of(written(draw_correlations(found), "svg")).count("undefined") == 2
    assert texts_of(written(draw_scatter(panel, found), "svg")).count("r undefined") == 2
    curves = draw_curves(study_divergence(panel, panel.result.metrics, draws=5).divergence)
    assert "bleu (undefined)" in texts_of(written(curves, "svg"))


def test_many_texts_become_hexagons():
    panel = make_panel(items=MAX_DOTS // len(SYSTEMS) + 1, ratings=("semantics",), metrics=("parent",))
    figure = draw_scatter(panel, study_ratings(panel, humans=["semantics"], level="example", draws=0))
    (collection,) = figure.axes[0].collections
    # The sum of the hexagons is all texts.
    assert collection.get_array().sum() == len(panel.item_of) > MAX_DOTS


@pytest.fixture(scope="module")
def again():
    """The same pictures, drawn by a user with other settings."""
    with matplotlib.rc_context({"text.usetex": True, "font.size": 30, "svg.hashsalt": None}):
        return draw_all(make_panel())


@pytest.mark.parametrize(
    "shape", ["svg", *(pytest.param(shape, marks=pytest.mark.slow) for shape in ("png", "pdf"))]
)
@pytest.mark.parametrize("name", PICTURES)
def test_same_input_same_bytes(pictures, again, name, shape):
    first = written(pictures[name], shape)
    assert first == written(again[name], shape)
    assert b"CreationDate" not in first
    assert b"dc:date" not in first


def test_names_do_no_harm():
    shown = {"$x_{1$", "<script>alert(1)</script>", "名前 🙂", r"\x1b[31m\n\u202e"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = draw_all(make_panel(systems=HARMFUL, ratings=HARMFUL[:4], metrics=METRICS[:1]))
        for name, figure in drawn.items():
            svg = written(figure, "svg")
            assert b"<script" not in svg
            assert name == "coverage" or shown <= set(texts_of(svg))
        assert written(drawn["comparison"], "png")
        assert written(drawn["comparison"], "pdf")
    assert {*shown, "_hidden", "(unnamed)", "a & b"} <= set(texts_of(written(drawn["comparison"], "svg")))


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "metrics"), [(3, 15), (40, 1)])
def test_any_number_of_systems_and_metrics(systems, metrics):
    specs = [f"parent(mix={number / 20})" for number in range(metrics)]
    panel = make_panel(systems=[f"system-{number}" for number in range(systems)], metrics=[*specs, "parent"])
    for figure in draw_all(panel).values():
        assert written(figure, "svg")


def test_labels_of_points_do_not_overlap():
    panel = make_panel(systems=[f"system-{number}" for number in range(12)], metrics=("parent",))
    figure = draw_scatter(panel, study_ratings(panel, humans=["semantics"], draws=0))
    figure.draw_without_rendering()
    texts = [text for text in figure.axes[0].texts if text.get_text().startswith("system-")]
    # Of the text alone, without the line that leads to it.
    boxes = [Text.get_window_extent(text) for text in texts]
    assert len(boxes) > 6
    pairs = [(one, other) for index, one in enumerate(boxes) for other in boxes[:index]]
    assert not [pair for pair in pairs if pair[0].overlaps(pair[1])]


def test_spread():
    assert avoid_overlap([0.2, 0.8], [0.1, 0.1], 0, 1) == pytest.approx([0.2, 0.8])
    assert avoid_overlap([0.52, 0.5], [0.1, 0.1], 0, 1) == pytest.approx([0.56, 0.46])
    assert avoid_overlap([1.0, 1.0, 0.0], [0.1, 0.2, 0.1], 0, 1) == pytest.approx([0.75, 0.9, 0.05])


def test_long_names_are_wrapped():
    name = 'parent(entailment="cooccurrence", counts="a/rather/long/path/to/counts.bin", tokens="words")'
    lines = wrap(name, 28).split("\n")
    assert lines[-1] == 'tokens="words")'
    assert all(len(line) <= 28 for line in lines)
    assert lines[0].endswith("…")
    assert wrap("parent(mix=0.5)") == "parent(mix=0.5)"


def test_format_by_ending():
    assert [image_format(f"a.{ending}") for ending in ("png", "SVG", "pdf", "svg.gz")] == [
        "png",
        "svg",
        "pdf",
        "svg",
    ]
    for name, found in (("a.gif", "ends in '.gif'"), ("-", "has no ending"), ("a", "has no ending")):
        with pytest.raises(UsageError, match=f"picture '{name}' {found}; end it in .png, .svg, .pdf or .pgf"):
            image_format(name)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"drawing needs the extra 'plot'.*factable\[plot\]"):
        image_format("a.png")


def test_drawing_leaves_no_global_state():
    script = (
        "import sys, io, matplotlib, numpy as np\n"
        "from factable.report.plots.figures import draw_coverage\n"
        "from factable.report.plots.style import save\n"
        "from factable.study.divergence import Coverage\n"
        # Asking for the backend would choose one.
        "settings = lambda: {k: matplotlib.rcParams[k] for k in matplotlib.rcParams if k != 'backend'}\n"
        "before = settings()\n"
        "save(draw_coverage(Coverage(np.array([0.5, 1.0]), '', 0)), io.BytesIO(), 'png')\n"
        "assert settings() == before\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)


def test_all_panels_of_a_comparison_have_the_same_order(pictures):
    panels = [axes for axes in pictures["comparison"].axes if axes.get_visible()]
    # Names stand beside the first panel of each line, for all panels of it.
    labels = [axes.get_yticklabels() for axes in panels]
    orders = [[label.get_text() for label in found if label.get_visible()] for found in labels]
    assert len(orders) == len(METRICS)
    assert orders[1::2] == [[], []]
    assert orders[0] == orders[2]
    assert set(orders[0]) == set(SYSTEMS)
    assert len({tuple(axes.get_yticks()) for axes in panels}) == 1


RENAMED = {"parent": "PARENT", "alpha": "Our system", "semantics": "Adequacy"}


def draw_some(panel, look):
    """A picture of each kind that has names."""
    found = study_ratings(panel, humans=["semantics", "fluency"], draws=20)
    return {
        "correlations": draw_correlations(found, look),
        "scatter": draw_scatter(panel, found, look),
        "comparison": draw_comparison(compare_systems(panel, draws=20), look),
        "coverage": draw_coverage(study_divergence(panel).coverage, look),
    }


@pytest.mark.parametrize(("width", "inches"), [("column", 3.3), ("text", 6.8)])
def test_pictures_have_the_width_asked_for_and_other_names(width, inches):
    look = Look(width, lambda name: RENAMED.get(name, name))
    for name, figure in draw_some(make_panel(), look).items():
        assert figure.get_size_inches()[0] == pytest.approx(inches)
        shown = set(texts_of(written(figure, "svg")))
        assert not shown & set(RENAMED), name
        if name != "coverage":
            assert shown & set(RENAMED.values()), name


def test_rows_have_one_order_and_their_names_stand_once_on_a_line():
    figure = draw_correlations(study_ratings(make_panel(), humans=["semantics", "fluency"], draws=0))
    shown = texts_of(written(figure, "svg"))
    assert [shown.count(metric) for metric in METRICS] == [1] * len(METRICS)
    assert len({tuple(axes.get_yticks()) for axes in figure.axes}) == 1


def test_numbers_of_one_panel_do_not_touch_names_of_the_next():
    systems = ("a rather long name", "another long name", "tilburg-smt", "melbourne")
    figure = draw_comparison(compare_systems(make_panel(systems=systems), draws=20))
    right = max(figure.bbox.width, 1)
    for axes in figure.axes:
        numbers = [text.get_window_extent() for text in axes.texts]
        assert all(box.x1 <= right for box in numbers)
        for other in figure.axes:
            names = [label.get_window_extent() for label in other.get_yticklabels() if label.get_text()]
            if other is not axes:
                assert not any(box.overlaps(name) for box in numbers for name in names)


def test_coarse_ratings_are_boxes_over_dots():
    panel = make_panel(items=40, ratings=("semantics",))
    panel.ratings["semantics"][:] = np.round(panel.ratings["semantics"])
    study = study_ratings(panel, humans=["semantics"], level="example", draws=0)
    figure = draw_scatter(panel, study)
    steps = len(np.unique(panel.ratings["semantics"]))
    for axes in figure.axes:
        medians = [line for line in axes.lines if line.get_color() == PALETTE[1]]
        assert len(medians) == steps
        (dots,) = axes.collections
        xs = dots.get_offsets()[:, 0]
        # They are scattered, but not as far as the next step.
        assert len(set(xs.tolist())) > steps
        assert np.abs(xs - np.round(xs)).max() < 0.3
    # Two and two panels, not three and one.
    assert len({axes.get_position().y0 for axes in figure.axes}) == 2


def test_pgf_is_for_latex(tmp_path):
    if not any(map(shutil.which, TEX_PROGRAMS)):
        with pytest.raises(UsageError, match=r"a \.pgf picture needs LaTeX .* install TeX Live"):
            image_format("x.pgf")
        return
    panel = make_panel(systems=("a_b & 100 %", "x^2 {y} #1 \\z", "~c$", "delta"))
    assert image_format("x.pgf") == "pgf"
    (tmp_path / "x.pgf").write_bytes(written(draw_comparison(compare_systems(panel, draws=0)), "pgf"))
    paper = r"\documentclass{article}\usepackage{pgf}\begin{document}\input{x.pgf}\end{document}"
    (tmp_path / "paper.tex").write_text(paper)
    program = next(filter(shutil.which, TEX_PROGRAMS))
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size


def test_fonts_of_a_pdf_are_true_type():
    pdf = written(draw_coverage(study_divergence(make_panel()).coverage), "pdf")
    assert b"/Subtype /Type42" in pdf or b"/FontFile2" in pdf
    assert b"/Subtype /Type3" not in pdf
