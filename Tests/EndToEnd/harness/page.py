"""A page in a browser, as a user perceives it: a control is named by its role and its accessible name."""

from contextlib import contextmanager

from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException,
    StaleElementReferenceException, WebDriverException)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from .environment import wait_until


class Replaced(WebDriverException):
    """The queried node belongs to a document that was replaced meanwhile."""


# Errors of a query on a page that is just being replaced: the query is repeated.
MOVED = (
    StaleElementReferenceException, NoSuchElementException, ElementNotInteractableException,
    ElementClickInterceptedException, Replaced)

# The driver's messages for a document that was replaced before the answer, or between two steps of the driver.
MOVED_MESSAGES = ("unhandled inspector error", "aborted by navigation")


def is_moved(problem):
    """Whether an error of the driver means that the document was replaced."""
    return any(message in (problem.msg or "") for message in MOVED_MESSAGES)


# From this length on, in characters, the browser takes minutes for typed input: the field's value is set instead.
LONG = 10_000
SET_VALUE = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}));"


class Page:
    """A tab. Each call first switches to it, so that several may be used at once."""

    def __init__(self, browser, profile, handle):
        self.browser = browser
        self.profile = profile
        self.handle = handle

    @property
    def driver(self):
        """The driver, switched to this page."""
        if self.browser.driver.current_window_handle != self.handle:
            self.browser.driver.switch_to.window(self.handle)
        return self.browser.driver

    def cdp(self, command, **parameters):
        """A command of the browser's own protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def script(self, source, *arguments):
        """Runs a script next to the page's own, which its policy doesn't block."""
        return self.driver.execute_script(source, *arguments)

    # Navigation

    def open(self, url):
        self.driver.get(url)
        return self

    def enter(self, link):
        """Opens a one-time link, and waits until it has redirected to the page."""
        self.open(link)
        self.until(
            lambda: self.url.endswith(("/list", "/conflicts")), "the link leads to the list, or to conflicts that wait")
        return self.loaded()

    def reload(self):
        self.driver.refresh()
        return self

    def sibling(self):
        """Another page of the same profile."""
        return self.browser.page(self.profile)

    @property
    def url(self):
        return self.driver.current_url

    @property
    def title(self):
        return self.driver.title

    # Contents

    @property
    def text(self):
        """The visible text."""
        return self.until(lambda: (self.driver.find_element(By.TAG_NAME, "body").text,), "there is a body")[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def controls(self, role, name=None, inside=None):
        """The elements of this role, and of this name, if one is given; within the first element of a selector."""
        return self.until(lambda: (self._controls(role, name, inside),), f"there is a document with {inside or 'a root'}")[0]

    def _controls(self, role, name, inside):
        """The same without repetition; `Replaced` if the document is replaced meanwhile.

        By commands of the driver, which waits before each until a running navigation has ended. WebDriver BiDi
        (`locate_nodes`) doesn't, and fails while the document is replaced: "Execution contexts cleared", "Cannot find
        context with specified id".
        """
        wanted = {"role": role} if name is None else {"role": role, "accessibleName": name}
        try:
            # `nodeId` is valid for the present document only. A `backendNodeId` of the previous one crashes Chromium 156.
            node = self.cdp("DOM.getDocument", depth=0)["root"]["nodeId"]
            if inside:
                node = self.cdp("DOM.querySelector", nodeId=node, selector=inside)["nodeId"]
                if not node:
                    raise NoSuchElementException(inside)
            frame = self.cdp("Page.getFrameTree")["frameTree"]["frame"]
            found = self.cdp("Accessibility.queryAXTree", nodeId=node, **wanted)["nodes"]
        except WebDriverException as problem:
            if not is_moved(problem):
                raise
            raise Replaced(problem.msg) from problem
        # This is how Chromium's driver names an element: by frame, document and node.
        document = f"f.{frame['id']}.d.{frame['loaderId']}.e"
        return [
            WebElement(self.driver, f"{document}.{item['backendDOMNodeId']}") for item in found if not item["ignored"]]

    def visible(self, role, name=None, inside=None):
        """The first visible one; None if there is none."""
        return next((element for element in self.controls(role, name, inside) if element.is_displayed()), None)

    def find(self, role, name, inside=None):
        """The first visible element of this role and name, as soon as there is one."""
        return self.until(lambda: self.visible(role, name, inside), f"there is a {role} {name!r}")

    def field(self, label, inside=None):
        """The field of a label, as soon as there is one; forms mark some labels as optional."""
        names = [(role, label + end) for role in ("textbox", "searchbox") for end in ("", " (optional)")]

        def look():
            return next(filter(None, (self.visible(role, name, inside) for role, name in names)), None)

        return self.until(look, f"there is a field {label!r}")

    # Actions of a user

    def press(self, name, role="button", inside=None):
        """Clicks a button, or another element with this name."""
        def click():
            self.find(role, name, inside).click()
            return True

        self.until(click, f"{role} {name!r} can be clicked")
        return self

    def follow(self, name, inside=None):
        return self.press(name, role="link", inside=inside)

    def fill(self, label, text, inside=None):
        """Replaces the text of a field; as one input, not key by key."""
        field = self.field(label, inside)
        field.send_keys(Keys.CONTROL, "a")
        if len(text) > LONG:
            self.script(SET_VALUE, field, text)
        elif text:
            self.cdp("Input.insertText", text=text)
        else:
            self.keys(Keys.DELETE)
        return self

    def unfold(self, name, inside="body"):
        """Unfolds the section with this summary, unless it is open."""
        def click():
            for summary in self.all(f"{inside} summary"):
                if summary.is_displayed() and summary.accessible_name == name:
                    if not summary.find_element(By.XPATH, "..").get_property("open"):
                        summary.click()
                    return True
            return False

        self.until(click, f"there is {name!r} to unfold")
        return self

    def send(self, verb, **fields):
        """Fills in the form of a verb, unfolds it if necessary, and sends it; ends on the resulting page.

        Fields are given by their labels, written with `_`.
        """
        form = f"form#form-{verb}"
        self.until(lambda: self.all(form), f"there is a form for {verb}")
        for summary in self.all(f"details:not([open]):has({form}) > summary, {form} details:not([open]) > summary"):
            summary.click()
        for label, text in fields.items():
            self.fill(label.replace("_", " "), text, inside=form)
        with self.leaving():
            self.driver.find_element(By.CSS_SELECTOR, f"{form} > button").click()
        return self

    def keys(self, *keys):
        """Sends keys to the element with the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()
        return self

    # Waiting

    def until(self, condition, what):
        """Waits for a condition, and returns its value; a failure shows the page's text."""
        def attempt():
            try:
                return condition()
            except MOVED:
                return None
            except WebDriverException as problem:
                if not is_moved(problem):
                    raise
                return None

        try:
            return wait_until(attempt, what)
        except AssertionError as failure:
            bodies = self.all("body")
            raise AssertionError(f"{failure}; {self.url} shows:\n{bodies[0].text if bodies else 'nothing'}") from None

    def shows(self, *texts):
        """Waits until all texts are visible."""
        for text in texts:
            self.until(lambda: text in self.text, f"{text!r} is shown")
        return self

    def lacks(self, *texts):
        """Waits until none of the texts is visible any more."""
        for text in texts:
            self.until(lambda: text not in self.text, f"{text!r} is gone")
        return self

    @contextmanager
    def leaving(self):
        """Ends when the body of the context has replaced the document, and the new one is complete."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        yield
        self.until(lambda: self.driver.find_element(By.TAG_NAME, "html") != before, "another document is there")
        self.loaded()

    def loaded(self):
        """Waits until the document is complete."""
        self.until(lambda: self.script("return document.readyState") == "complete", "the document is loaded")
        return self

    # Appearance

    def without_scripts(self):
        self.cdp("Emulation.setScriptExecutionDisabled", value=True)
        return self

    def colours(self, scheme):
        """`dark` or `light`, as in the settings of the user's system."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self

    def size(self, width, height):
        """The view's size in CSS pixels, as on a screen of this size."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        return self
