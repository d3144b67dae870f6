"""Prompt texts: sections of a text file, rendered by named marks in a single pass.

A file holds sections, each under a line `=== name ===`; lines above the first are notes for the reader. A mark
is `<<name>>`. Only marks of the template count: braces in LaTeX survive, and a mark inside a value, which may
be a model's own words, is never expanded.
"""

import re
from collections.abc import Mapping
from importlib.resources import files

from tmas_assets.records import Record, digest

_HEADING = re.compile(r"^=== ([a-z_]+) ===$", re.MULTILINE)
_MARK = re.compile(r"<<([a-z_]+)>>")


class PromptError(ValueError):
    """A prompt file or a rendering that does not fit: a mistake of the code, never of a model."""


class Prompt(Record):
    name: str
    """The file's name."""
    sections: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Digest of the texts that reach a model."""
        return digest(dict(self.sections))

    def render(self, section: str, /, **values: str) -> str:
        """The section with every mark replaced. Raises PromptError for an unknown section, mark or value."""
        if section not in self.sections:
            raise PromptError(f"{self.name}: no section {section!r}; found {sorted(self.sections)}")
        text = self.sections[section]
        marks = set(_MARK.findall(text))
        if marks != set(values):
            raise PromptError(
                f"{self.name}, section {section}: marks {sorted(marks)} do not match values {sorted(values)}; "
                "fill every mark and pass nothing else"
            )
        return _MARK.sub(lambda mark: values[mark[1]], text)


def parse(name: str, text: str) -> Prompt:
    """The sections of a prompt file. Raises PromptError when it has none or one twice."""
    parts = _HEADING.split(text)[1:]
    names = parts[::2]
    if not names or len(set(names)) < len(names):
        raise PromptError(f"{name}: needs sections under lines `=== name ===`, each name once; found {names}")
    return Prompt(name=name, sections={n: body.strip("\n") for n, body in zip(names, parts[1::2], strict=True)})


def load(name: str, *, marks: Mapping[str, str] | None = None) -> Prompt:
    """The prompt file `name` beside this module.

    `marks`: what its reader will fill, section -> marks with blanks between. Raises PromptError where the file has others.
    """
    prompt = parse(name, files("tmas_assets.agents").joinpath(name).read_text(encoding="utf-8"))
    if marks is not None:
        declare(prompt, marks)
    return prompt


def declare(prompt: Prompt, marks: Mapping[str, str]) -> None:
    """Raises PromptError where the sections, or the marks of one, are not those that `marks` says."""
    found = {section: sorted(set(_MARK.findall(text))) for section, text in prompt.sections.items()}
    declared = {section: sorted(set(names.split())) for section, names in marks.items()}
    for section in sorted({*found, *declared}):
        if found.get(section) != declared.get(section):
            raise PromptError(
                f"{prompt.name}, section {section}: the file has {found.get(section, 'no such section')}, its reader declares "
                f"{declared.get(section, 'no such section')}; make both say the same"
            )
