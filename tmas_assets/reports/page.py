"""Renders the templates beside it to self-contained HTML text. Leaves out what the pages say."""

from functools import cache
from typing import TYPE_CHECKING

from tmas_assets.reports import notation

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(template: str, **shown: object) -> str:
    """`template` with `shown`; a name the template uses and nobody passes is an error, not a blank."""
    return _environment().get_template(template).render(**shown)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        # Markup is a str as well, and is ours: templates and macros.
        return notation.printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("tmas_assets.reports", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("percent", "bounds", "per_problem", "count", "tokens_known", "total_tokens", "tokens_spent", "short_count", "untrusted", "cut"):
        environment.filters[name] = getattr(notation, name)
    return environment
