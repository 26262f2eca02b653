"""What tests of the page may ask for. A browser serves all tests of a worker; each test has profiles of its own."""

import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from .browser import Chromium
from .web import Web

# Where a failed test leaves what its pages looked like.
LOGS = Path(os.environ.get("SATCHEL_TEST_LOGS", Path(__file__).resolve().parents[3] / ".build" / "logs" / "web"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[REPORT] = report
    return report


REPORT = pytest.StashKey()


@pytest.fixture(scope="session")
def chromium():
    browser = Chromium()
    yield browser
    browser.close()


@pytest.fixture
def complaints(chromium):
    """What the console of the browser has said in this test; what a test expects, it takes out. The rest is a failure."""
    chromium.console()
    expected = []
    yield expected
    unexpected = [
        line for line in chromium.console() if not any(re.search(pattern, line) for pattern in expected)]
    assert not unexpected, f"the console complains: {unexpected}"


@pytest.fixture
def make_page(chromium, complaints, request):
    """Makes pages, each in a profile of its own."""
    pages = []
    with ExitStack() as profiles:
        def make():
            pages.append(profiles.enter_context(chromium.profile()))
            return pages[-1].size(1280, 800)

        yield make
        report = request.node.stash.get(REPORT, None)
        if report and report.failed:
            for number, page in enumerate(pages, start=1):
                keep(page, LOGS / f"{re.sub(r'[^A-Za-z0-9-]+', '_', request.node.name)}-{number}")


def keep(page, path):
    """Leaves a page's picture, source and address for who looks into a failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        page.driver.save_screenshot(f"{path}.png")
        Path(f"{path}.html").write_text(f"<!-- {page.url} -->\n{page.driver.page_source}", encoding="utf-8")
        print(f"the page was kept: {path}.png, {path}.html")
    except Exception as problem:  # a page that is gone must not hide why the test failed
        print(f"the page couldn't be kept: {problem}")


@pytest.fixture
def page(make_page):
    return make_page()


@pytest.fixture
def serve():
    """Starts `satchel web` for a device."""
    return Web
