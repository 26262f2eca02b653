"""A real Chromium, in the headless build, which needs half the processor time: one for all tests of a worker, with any
number of profiles."""

import os
import tempfile
from contextlib import contextmanager

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.command import Command

from .environment import PATIENCE, plain_environment
from .page import Page
from .programs import program

FLAGS = [
    # Root has no sandbox, and only our own pages are opened.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--no-first-run",
    "--lang=en",
    # Only loopback, whether by name or automatically.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--password-store=basic",
]


class Chromium:
    """A browser process. Tests use its profiles, each with its own cookies."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="satchel-chromium-", ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        options.binary_location = program("chromium-headless-shell")
        for flag in [*FLAGS, f"--user-data-dir={self.directory.name}/profile"]:
            options.add_argument(flag)
        options.set_capability("webSocketUrl", True)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        fonts = {name: os.environ[name] for name in ["FONTCONFIG_FILE"] if name in os.environ}
        service = Service(program("chromedriver"), env=plain_environment(self.directory.name, **fonts))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        # The polling interval for an answer, in seconds; the client's own tenth would be most of the tests' time.
        self.driver.command_executor.client_config.websocket_interval = 0.002

    @contextmanager
    def profile(self):
        """A new profile, removed with its cookies and pages at the end; returns its first page, which is blank."""
        first = self.driver.window_handles[0]
        profile = self.driver.browser.create_user_context()
        try:
            yield self.page(profile)
        finally:
            self.driver.switch_to.window(first)
            self.driver.browser.remove_user_context(profile)

    def page(self, profile):
        """A new page of a profile."""
        return Page(self, profile, self.driver.browsing_context.create(type="tab", user_context=profile))

    def console(self):
        """The messages of the browser's console since the last call: errors, warnings, refused resources."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            # From the browser's side; `quit` waits ten seconds for one of its threads.
            self.driver.execute(Command.QUIT)
        except WebDriverException:
            pass
        self.driver.service.stop()
        self.directory.cleanup()
