"""A data set's page: its card as text, which no reader of Markdown has touched, and its picture. Leaves out the card itself."""

from tmas_assets.reports.drawing import data_uri
from tmas_assets.reports.page import render_page


def data_page(name: str, card: str, lengths: bytes) -> str:
    """`card`: Markdown, shown as it is. `lengths`: a PNG of the lengths in the set."""
    return render_page("site/data.html.jinja", name=name, card=card, lengths=data_uri(lengths, "image/png"))
