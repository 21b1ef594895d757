# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: the decisions on a kernel with its predicted time, a search among plans, and measured configurations."""

from __future__ import annotations

from typing import Any

from tilewright._tools.display.html import bar, folded, table, time, titled

_MOST = 12  # rows of a ranking


def decisions(data: dict[str, Any]) -> str:
    rows = [(each["name"], _shown(each["value"]), each["reason"] or "") for each in data["decisions"]]
    return table(("decision", "value", "reason"), rows)


def _shown(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def of_explanation(explanation: Any) -> str:
    data = explanation.data
    prediction = data["prediction"]
    if not prediction or not prediction["is_launchable"]:
        return titled(data["name"], f"for {data['target']}", decisions(data))
    bounds = sorted(prediction["bounds"].items(), key=lambda each: -each[1])
    rows = [(name, time(seconds), bar(seconds / prediction["seconds"])) for name, seconds in bounds]
    said = f"for {data['target']}: predicted {time(prediction['seconds'])} on {prediction['device']}"
    return titled(
        data["name"],
        f"{said}, bound by {prediction['bound']}, for a grid of {'x'.join(map(str, prediction['grid']))}",
        table(("bound", "time", "share of the predicted time"), rows),
        folded("plan", decisions(data)),
    )


def of_search(search: Any) -> str:
    best = search.candidates[0].seconds
    rows = [
        (time(each.seconds), bar(best / each.seconds), each.bound, _changes(each.schedule))
        for each in search.candidates[:_MOST]
    ]
    refused = table(("plan", "reason"), [(_changes(plan), reason) for plan, reason in search.refused])
    return titled(
        f"{len(search.candidates)} plans",
        "by predicted time",
        table(("predicted", "speed", "bound", "decisions"), rows),
        folded(f"{len(search.refused)} refused", refused) if search.refused else "",
    )


def _changes(schedule: Any) -> str:
    return ", ".join(f"{key}={value}" for key, value in schedule.decisions.items()) or "the compiler's"


def of_tuning(result: Any) -> str:
    ranked = sorted(result.successes, key=lambda each: each.mean_us)
    rows = [
        (each.config, f"{each.mean_us:.1f} ± {each.error_margin_us:.1f} µs", bar(result.best.mean_us / each.mean_us))
        for each in ranked
    ]
    failures = [(config, f"{kind.__name__}: {message}") for config, kind, message in result.failures]
    return titled(
        f"{len(rows)} configurations",
        "measured",
        table(("configuration", "time of a launch", "speed"), rows),
        folded(f"{len(failures)} failed", table(("configuration", "error"), failures)) if failures else "",
    )
