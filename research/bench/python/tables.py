"""Markdown tables, aligned so that they are readable on a terminal too."""

from __future__ import annotations


def table(head: list[str], rows: list[list[str]]) -> str:
    columns = list(zip(head, *rows))
    widths = [max(len(text) for text in column) for column in columns]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |" for line in lines)


def seconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def span(values: list[float]) -> str:
    return f"{seconds(min(values))}..{seconds(max(values))}"


def number(value: float) -> str:
    """Noise is small but not zero here: three digits after the point, without trailing zeros."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
