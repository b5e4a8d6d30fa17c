"""How long a browser takes to open a report, to search in it and to sort it.

python benchmarks/report.py report.html

Needs Chromium and the extra `test`; prints the median of seven openings.
"""

import argparse
import shutil
import statistics
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

OPENINGS = 7
TIMED = "(() => {{ const begin = performance.now(); {act}; return performance.now() - begin; }})()"
SEARCH = TIMED.format(act="state.words = 'the'; startOver()")
SORT = TIMED.format(act="state.words = ''; state.sort = 'item'; startOver()")


def measure(browser: Browser, page_file: Path) -> dict[str, float]:
    """Milliseconds until an example is shown, of a first search and of a sort; elements; memory."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    begin = time.perf_counter()
    page.goto(page_file.as_uri())
    page.locator(".panel").first.wait_for()
    found = {
        "open, ms": (time.perf_counter() - begin) * 1000,
        "search, ms": page.evaluate(SEARCH),
        "sort, ms": page.evaluate(SORT),
        "elements": page.evaluate("document.querySelectorAll('*').length"),
        "script memory, MB": page.evaluate("performance.memory.usedJSHeapSize / 1e6"),
    }
    page.close()
    return found


def main() -> None:
    """Open the page often and print medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("page", type=Path)
    page = parser.parse_args().page.absolute()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print(
            f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, {browser.browser_type.name} {browser.version}"
        )
        runs = [measure(browser, page) for _ in range(OPENINGS)]
        browser.close()
    for name in runs[0]:
        print(f"{name:<18} {statistics.median(run[name] for run in runs):8.0f}")


if __name__ == "__main__":
    main()
