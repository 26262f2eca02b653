"""The accessibility of a page: axe-core, and checks that it lacks."""

import importlib.util
import json
from functools import cache
from pathlib import Path

from selenium.webdriver.common.keys import Keys

# WCAG 2.0, 2.1 and 2.2, levels A and AA, and axe-core's best practices.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

RUN = """
const [tags, done] = arguments;
axe.run({runOnly: {type: 'tag', values: tags}, resultTypes: ['violations', 'incomplete', 'passes']})
   .then(done, error => done({error: String(error)}));
"""

# All elements that the Tab key should reach, in the document's order.
REACHABLE = """
const named = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]';
const group = new Set();
return [...document.querySelectorAll(named)].filter(element => {
  if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({visibilityProperty: true})) return false;
  if (element.type !== 'radio') return true;
  const first = document.querySelector(`input[type=radio][name="${element.name}"]:checked`) ?? element;
  if (first !== element || group.has(element.name)) return false;
  group.add(element.name);
  return true;
});
"""

# The background colour of an element.
BEHIND = """
const behind = from => {
  for (let at = from; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/^rgba\\(.*, 0\\)$/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
};
"""

COLOURS = BEHIND + """
const [element] = arguments;
return [getComputedStyle(element).color, behind(element)];
"""

# The element with the focus: its outline, the background, and whether it is visible.
FOCUS = BEHIND + """
const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
const hit = document.elementFromPoint(box.left + box.width / 2, (top + bottom) / 2);
return {
  style: style.outlineStyle, width: parseFloat(style.outlineWidth), colour: style.outlineColor,
  behind: behind(element.parentElement), element: element.outerHTML.slice(0, 200),
  inView: bottom - top >= Math.min(box.height, 20),
  onTop: !!hit && (element.contains(hit) || hit.contains(element)),
};
"""


@cache
def axe_source():
    """axe-core from a package of PyPI; the rest of the package is unused."""
    package = importlib.util.find_spec("axe_playwright_python")
    return (Path(package.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    """axe-core's findings on a page, one per line; including contrasts that it couldn't measure."""
    page.script(axe_source())
    result = page.driver.execute_async_script(RUN, TAGS)
    assert "error" not in result, result["error"]
    passed = {rule["id"] for rule in result["passes"]}
    assert passed >= {"color-contrast", "html-has-lang"}, f"axe-core checked hardly anything: {passed}"
    found = [(rule, node) for rule in result["violations"] for node in rule["nodes"]]
    found += [
        (rule, node) for rule in result["incomplete"] if rule["id"] == "color-contrast" for node in rule["nodes"]
        if not has_contrast(page, node)]
    return [f"{rule['id']}: {rule['help']}: {node['html'][:200]} {json.dumps(node['target'])}" for rule, node in found]


def has_contrast(page, node):
    """Whether a text has enough contrast where axe-core can't decide: for a symbol, or for overlapping boxes."""
    [element] = page.all(node["target"][0])
    return contrast(*page.script(COLOURS, element)) >= 4.5


def tab_stops(page):
    """Moves through a page with Tab from its top: the elements to be reached, and the reached ones, in order."""
    page.script("document.activeElement?.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
    expected = page.script(REACHABLE)
    reached = []
    for _ in range(len(expected) + 5):
        page.keys(Keys.TAB)
        active = page.script("return document.activeElement === document.body ? null : document.activeElement")
        if active is None or active in reached:
            break
        reached.append(active)
        assert_focus_is_seen(page)
    return expected, reached


def assert_focus_is_seen(page):
    """Fails if the focus isn't visible: an outline, 3 to 1 against its background, nothing on top of it."""
    focus = page.script(FOCUS)
    assert focus["style"] not in ("none", "hidden") and focus["width"] >= 2, f"the focus has no outline: {focus}"
    assert focus["inView"] and focus["onTop"], f"the focus is out of sight: {focus}"
    ratio = contrast(focus["colour"], focus["behind"])
    assert ratio >= 3, f"the focus has a contrast of {ratio:.2f} only: {focus}"


def contrast(one, other):
    """The contrast of two opaque colours, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    """The relative luminance of `rgb(…)`."""
    channels = [float(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
