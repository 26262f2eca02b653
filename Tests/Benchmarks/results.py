"""The results as a table and as JSON lines, and their comparison with an earlier call."""

import json


def shown(value, unit):
    """A quantity with three or four digits: `12.3 ms`, `45.6 MB`."""
    if value is None:
        return "–"
    scales = {"s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs")], "B": [(1e6, "MB"), (1024, "KiB"), (1, "B")]}[unit]
    size, name = next((scale for scale in scales if abs(value) >= scale[0]), scales[-1])
    digits = 3 if (unit, size) == ("s", 1) else 2 if abs(value) < 10 * size else 1
    return f"{value / size:.{digits}f} {name}"


def spread(side, unit):
    """The median with the smallest and the largest value."""
    return f"{shown(side['median'], unit)} ({shown(side['min'], unit)}–{shown(side['max'], unit)})"


def goal(result):
    texts = []
    if result["goal_ratio"] is not None:
        texts.append(f"≤ {result['goal_ratio']:.3g}×")
    if result["goal_value"] is not None:
        texts.append(f"≤ {shown(result['goal_value'], result['unit'])}")
    if result["goal_peer"] in result["peers"]:
        texts.append(f"≤ {result['goal_peer']}")
    return ", ".join(texts)


def missed_goals(result):
    """The goals that a result is above: `ratio`, `value`, `peer`."""
    goals = {
        "ratio": (result["goal_ratio"], result["ratio"]), "value": (result["goal_value"], result["satchel"]["median"]),
        "peer": (result["peers"].get(result["goal_peer"], {}).get("median"), result["satchel"]["median"])}
    return [kind for kind, (goal, found) in goals.items() if goal is not None and found is not None and found > goal]


def table(results, earlier=None):
    """The results as a Markdown table; with those of an earlier call, a column compares the ratios."""
    has_peers = any(result["peers"] for result in results)
    headings = ["what", "satchel", "yardstick", "ratio", "goal", "the yardstick"]
    headings += ["peers"] * has_peers + ["ratio then", "now ÷ then"] * (earlier is not None)
    lines = [headings]
    for result in results:
        unit = result["unit"]
        line = [
            result["name"], spread(result["satchel"], unit),
            spread(result["yardstick"], unit) if result["yardstick"] else "–", number(result["ratio"]),
            goal(result) + (" missed" if missed_goals(result) else ""), result["yardstick_name"]]
        if has_peers:
            line.append(", ".join(f"{name} {shown(side['median'], unit)}" for name, side in result["peers"].items()))
        if earlier is not None:
            line += comparison(result, earlier.get(result["name"]))
        lines.append(line)
    return markdown(lines)


def comparison(result, earlier):
    """The ratio of an earlier result, and the ratio of both ratios: below 1, Satchel became faster."""
    if earlier is None or not earlier["ratio"] or result["ratio"] is None:
        return ["–", "–"]
    if earlier["yardstick_name"] != result["yardstick_name"]:
        return ["another yardstick", "–"]
    return [number(earlier["ratio"]), number(result["ratio"] / earlier["ratio"])]


def number(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"


def markdown(lines):
    """A Markdown table of lines of texts, the first with the headings."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]

    def text(line):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"

    return "\n".join([text(lines[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(text, lines[1:])])


def write(path, about, results):
    """Writes the results as JSON lines; the first line describes the machine."""
    lines = [{"about": about}, *results]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def read(path):
    """The results of an earlier call, by name."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {line["name"]: line for line in lines if "name" in line}
    except (OSError, ValueError, TypeError) as error:
        raise SystemExit(f"{path} can't be read as results of Tests/bench --json: {error}") from error
