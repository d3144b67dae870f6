"""Finds the program that a reply answers with: which blocks of code belong to it, and how the prompt goes on in it.

The last block that defines what the tests need is the answer; what it needs and does not define is taken from other
blocks of the reply; a body without its function continues the prompt. Leaves out running it.
"""

import ast
import re
import textwrap

from tmas_assets.grading.code.blocks import Block, blocks, outside, spans
from tmas_assets.grading.code.names import defined, empty, needed, parse, read
from tmas_assets.grading.code.unwrap import plain_blanks
from tmas_assets.grading.thinking import split_thinking

_READS = re.compile(r"\b(?:input|stdin|open|read|readline)\b")
_ACTING = frozenset(("input", "print", "open"))
_LONGEST_BODY = 1 << 16
_MOST_CUTS = 40


def answer_code(text: str, wanted: frozenset[str], prompt: str = "", given: frozenset[str] = frozenset()) -> str | None:
    """The answer to a problem whose tests want these names; None where the reply has no answer at all.

    `prompt`: code that a body may continue. `given`: names that are there anyway. Where no block of the reply is Python,
    the one that should be: running it says why it is not.
    """
    if not split_thinking(text)[1]:
        return None
    whole = _after_thinking(text)
    found = [block for block in blocks(whole) if block.code is not None]
    if not any(wanted & _names(block) for block in found):
        found = [*(block for block in [*spans(whole), outside(whole)] if wanted & _names(block)), *found]
    chosen = _chosen(found, wanted)
    if chosen is None or not wanted & _offered(chosen):
        continued = _continued(whole, prompt, wanted, as_it_stands=chosen is not None and bool(_definitions(chosen)))
        if continued is not None:
            return continued
    return _unreadable(whole) if chosen is None else _with_what_it_needs(chosen, found, wanted, given)


def program_code(text: str) -> str | None:
    """The answer to a problem of standard input and output: the last block that reads, else prints, else any.

    One that only defines runs together with the next block that uses what it defines.
    """
    if not split_thinking(text)[1]:
        return None
    whole = _after_thinking(text)
    found = [block for block in blocks(whole) if block.code is not None]
    if not found:
        return _unreadable(whole)
    ranks = [(not block.other, bool(_READS.search(block.code or "")), "print" in (block.code or ""), block.python, place)
             for place, block in enumerate(found)]
    place = max(ranks)[-1]
    chosen = found[place]
    if not _acts(chosen, _ACTING):
        made = frozenset(getattr(node, "name", "") for node in _definitions(chosen))
        starts = next((block for block in found[place + 1 :] if not block.other and _acts(block, made)), None)
        if starts is not None:
            chosen = found[place] = Block(chosen.raw, f"{chosen.code}\n\n{starts.code}", python=True)
    return _with_what_it_needs(chosen, found, frozenset(), frozenset())


def _acts(block: Block, names: frozenset[str]) -> bool:
    """Whether what stands outside of its definitions reads one of these names, or one that it defines as a function."""
    made = _definitions(block)
    outside = "\n".join(ast.unparse(node) for node in _statements(block.code) if node not in made)
    return bool(read(outside) & (names | {getattr(node, "name", "") for node in made}))


def _after_thinking(text: str) -> str:
    cut = re.split(r"</think(?:ing)?>", text, flags=re.IGNORECASE)[-1]
    return cut.strip("\r\n").rstrip()


def _unreadable(whole: str) -> str:
    found = blocks(whole)
    tagged = [block for block in found if block.python] or [block for block in found if not block.other] or found
    return tagged[-1].raw


def _names(block: Block) -> frozenset[str]:
    return defined(block.code or "")


def _statements(code: str | None) -> list[ast.stmt]:
    tree = parse(code or "")
    return tree.body if tree is not None else []


def _offered(block: Block) -> frozenset[str]:
    """Names that a block defines, and the methods of its classes."""
    classes = [node for node in _statements(block.code) if isinstance(node, ast.ClassDef)]
    return _names(block) | {
        node.name for made in classes for node in made.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _chosen(found: list[Block], wanted: frozenset[str]) -> Block | None:
    """The last of the best: defines most of what is wanted, is no mere sketch of it, is Python by its tag."""
    if not found:
        return None
    place = {id(block): number for number, block in enumerate(found)}
    return max(found, key=lambda block: (
        len(wanted & _names(block)), len(wanted & _offered(block)), not _sketch(block, wanted), not block.other,
        bool(_definitions(block)), block.python, place[id(block)],
    ))


def _definitions(block: Block) -> list[ast.stmt]:
    return [node for node in _statements(block.code) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]


def _sketch(block: Block, wanted: frozenset[str]) -> bool:
    """Whether a wanted function is only announced."""
    return any(empty(node) and getattr(node, "name", "") in wanted for node in _definitions(block))


def _with_what_it_needs(chosen: Block, found: list[Block], wanted: frozenset[str], given: frozenset[str]) -> str:
    """The block's code, after the definitions of other blocks (the nearest before it, else after it) that it reads."""
    place = next(number for number, block in enumerate(found) if block is chosen)
    others = [*reversed(found[:place]), *found[place + 1 :]]
    parts = [chosen.code or ""]
    have = set(defined(parts[0])) | given
    open_names = set(needed(parts[0]) | wanted) - have
    while open_names:
        name = min(open_names)
        source = next((block for block in others if name in _names(block)), None)
        if source is not None:
            part = _defining(source.code or "", name)
            parts.insert(0, part)
            have |= defined(part)
            open_names |= needed(part)
        have.add(name)
        open_names -= have
    return "\n\n".join(parts)


def _defining(code: str, name: str) -> str:
    """The statements of `code` that bind `name`."""
    kept = [node for node in _statements(code) if name in defined(ast.unparse(node))]
    return "\n".join(_source(code, node) for node in kept)


def _source(code: str, node: ast.stmt) -> str:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return "\n".join(code.split("\n")[first - 1 : node.end_lineno])


def _continued(whole: str, prompt: str, wanted: frozenset[str], *, as_it_stands: bool) -> str | None:
    """The prompt with a body from the reply, where the reply is one. `as_it_stands`: only if it is indented as one."""
    if not prompt or len(whole) > _LONGEST_BODY or not wanted:
        return None
    raws = [block.raw for block in reversed(blocks(whole))] if "```" in whole or "~~~" in whole else []
    bodies = [_indented_as_prompts(plain_blanks(raw).strip("\n")) for raw in [*raws, whole]]
    forms = [form for body in bodies for form in (
        [body] if as_it_stands else [body, f"    {body}", textwrap.indent(textwrap.dedent(body), "    ")])]
    for most in (1, _MOST_CUTS):
        for form in forms:
            if (made := _that_parses(prompt.rstrip() + "\n", form, wanted, most)) is not None:
                return made
    return None


def _indented_as_prompts(body: str) -> str:
    """Tabs as four blanks, where nothing is indented by blanks already."""
    indents = "".join(line[: len(line) - len(line.lstrip())] for line in body.split("\n"))
    return body if " " in indents else body.expandtabs(4)


def _that_parses(prompt: str, body: str, wanted: frozenset[str], most: int) -> str | None:
    """Completions go on after the function: what follows it at the margin is dropped, from the end, until all is Python."""
    lines = body.split("\n")
    ends = [len(lines), *(number for number in range(len(lines) - 1, 0, -1) if lines[number][:1].strip())]
    for end in ends[:most]:
        code = f"{prompt}{chr(10).join(lines[:end])}\n"
        if parse(code) is not None and wanted <= defined(code) and not _sketch(Block(code, code, python=True), wanted):
            return code
    return None
