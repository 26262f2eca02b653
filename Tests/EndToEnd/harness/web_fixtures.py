"""Fixtures for tests of the page. A browser serves all tests of a worker; each test has its own profiles."""

import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException

from .browser import Chromium

# The directory for the pages of failed tests.
LOGS = Path(os.environ.get("SATCHEL_TEST_LOGS", Path(__file__).resolve().parents[3] / ".build" / "logs" / "web"))


# The open pages of a test, and the messages of the browser's console at its end.
PAGES, SAID = pytest.StashKey(), pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Stores the pages while their server still runs: fixtures end in any order."""
    report = yield
    if report.when == "call" and item.stash.get(PAGES, None):
        item.stash[SAID] = item.funcargs["chromium"].console()
        if report.failed:
            for number, page in enumerate(item.stash[PAGES], start=1):
                keep(page, LOGS / f"{re.sub(r'[^A-Za-z0-9-]+', '_', item.name)}-{number}", report)
    return report


@pytest.fixture(scope="session")
def chromium():
    browser = Chromium()
    yield browser
    browser.close()


@pytest.fixture
def complaints(chromium, request):
    """Patterns of the console messages that are expected in this test; all others are failures."""
    chromium.console()
    expected = []
    yield expected
    said = request.node.stash.get(SAID, [])
    unexpected = [line for line in said if not any(re.search(pattern, line) for pattern in expected)]
    assert not unexpected, f"the console complains: {unexpected}"


@pytest.fixture
def make_page(chromium, complaints, request):
    """Creates pages, each in a profile of its own."""
    pages = request.node.stash[PAGES] = []
    with ExitStack() as profiles:
        def make():
            pages.append(profiles.enter_context(chromium.profile()))
            return pages[-1].size(1280, 800)

        yield make


def keep(page, path, report):
    """Stores a page's picture, source and address for the analysis of a failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        page.driver.save_screenshot(f"{path}.png")
        Path(f"{path}.html").write_text(f"<!-- {page.url} -->\n{page.driver.page_source}", encoding="utf-8")
        location = f"{path}.png, {path}.html"
    except WebDriverException as problem:  # a page that is gone must not hide why the test failed
        location = f"the page is gone: {problem.msg}"
    report.sections.append(("the stored page", location))


@pytest.fixture
def page(make_page):
    return make_page()


@pytest.fixture
def plain(page):
    """A page in a browser with scripts switched off."""
    return page.without_scripts()
