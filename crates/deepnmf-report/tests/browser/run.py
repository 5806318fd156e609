"""Opens report pages in a browser without a window and checks what people would see.

    run.py --browser /usr/bin/chromium --program target/debug/deepnmf --screenshots FOLDER
"""

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import checks
from pages import Maker

# A browser for tests: no sandbox as root, and nothing that it would fetch by itself.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The most seconds from opening the page of a hundred thousand samples until all of it is there, and
# how often that is tried: other programs may be busy.
PATIENCE = 3.0
OPENINGS = 3

WIDE = {"width": 1400, "height": 900}
PHONE = {"width": 390, "height": 844}

EVERYWHERE = [checks.every_view_is_drawn, checks.nothing_is_wider_than_the_window]
LINKED = [
    checks.a_click_on_a_cluster_selects_it_everywhere,
    checks.shift_keeps_what_is_in_both,
    checks.a_drag_over_a_map_selects,
    checks.a_cell_of_the_table_opens_its_agreement,
    checks.a_measure_can_be_chosen,
    checks.a_component_selects_the_samples_that_use_it,
    checks.keys_do_what_the_pointer_does,
    checks.everything_that_can_be_clicked_can_be_focused,
    checks.the_page_turns_dark_and_back,
    checks.maps_can_be_coloured_and_drawn_otherwise,
    checks.it_prints,
]

# Name, page, window, dark, checks.
SCENES = [
    ("faces", "faces", WIDE, False, EVERYWHERE + LINKED),
    ("faces-dark", "faces", WIDE, True, EVERYWHERE),
    ("faces-phone", "faces", PHONE, False, [*EVERYWHERE, checks.the_sheet_opens_and_closes]),
    ("table", "table", WIDE, False, [*EVERYWHERE, checks.a_click_on_a_cluster_selects_it_everywhere]),
    ("unlabelled", "unlabelled", WIDE, False, EVERYWHERE),
    ("documents", "documents", WIDE, False, [*EVERYWHERE, checks.topics_select_their_samples]),
    ("documents-phone", "documents", PHONE, True, EVERYWHERE),
    ("hostile", "hostile", WIDE, False, [*EVERYWHERE, checks.hostile_texts_are_texts]),
    ("hostile-phone", "hostile", PHONE, False, EVERYWHERE),
    ("many", "many", WIDE, False, [*EVERYWHERE, checks.thinning_is_told]),
]


class Opened:
    """A page that is open, and what it complained about."""

    def __init__(self, browser: Browser, path: Path, window: dict, dark: bool):
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(viewport=window, color_scheme=scheme)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda m: self.complaints.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.complaints.append(f"error: {e}"))
        self.page.on("request", self.note_request)
        self.page.on("dialog", self.note_dialog)
        begun = time.monotonic()
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")
        self.seconds = time.monotonic() - begun

    def note_request(self, request) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.complaints.append(f"request: {request.url}")

    def note_dialog(self, dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def play(browser: Browser, path: Path, scene: tuple, screenshots: Path) -> list[str]:
    """Opens a page, photographs it, and gives what does not hold."""
    name, _, window, dark, laws = scene
    opened = Opened(browser, path, window, dark)
    opened.page.screenshot(path=screenshots / f"{name}.png")
    opened.page.screenshot(path=screenshots / f"{name}-full.png", full_page=True)
    failures = []
    for law in laws:
        try:
            law(opened.page)
        except Exception:
            failures.append(f"{law.__name__}: {traceback.format_exc(limit=3)}")
            opened.page.screenshot(path=screenshots / f"{name}-failed-{law.__name__}.png")
    failures += opened.complaints
    opened.context.close()
    print(f"{name}: {'ok' if not failures else 'FAILED'} (open after {opened.seconds:.2f} s)")
    return [f"{name}: {failure}" for failure in failures]


def slow(browser: Browser, path: Path) -> list[str]:
    """Complains if a page takes long to open."""
    seconds = []
    for _ in range(OPENINGS):
        opened = Opened(browser, path, WIDE, False)
        opened.context.close()
        seconds.append(opened.seconds)
        if opened.seconds < PATIENCE:
            return []
    return [f"{path.name} opens in {min(seconds):.1f} s at best"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", required=True, type=Path)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--screenshots", required=True, type=Path)
    options = parser.parse_args()
    options.screenshots.mkdir(parents=True, exist_ok=True)
    for old in options.screenshots.glob("*.png"):
        old.unlink()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        maker = Maker(options.program.resolve(), Path(folder))
        kinds = dict.fromkeys(kind for _, kind, *_ in SCENES)
        pages = {kind: getattr(maker, kind)() for kind in kinds}
        for kind, path in pages.items():
            print(f"{kind}: {path.stat().st_size / 1e6:.2f} MB")
        browser = playwright.chromium.launch(executable_path=options.browser, args=FLAGS)
        for scene in SCENES:
            failures += play(browser, pages[scene[1]], scene, options.screenshots)
        failures += slow(browser, pages["many"])
        browser.close()
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
