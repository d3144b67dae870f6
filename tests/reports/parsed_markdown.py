"""Markdown as a parser reads it, so that a test sees what a reader sees."""

from markdown_it import MarkdownIt
from markdown_it.token import Token


def parsed(text: str) -> list[Token]:
    """Tokens by CommonMark with tables, HTML allowed: were there any, it would be seen."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def every(text: str) -> list[Token]:
    return [one for token in parsed(text) for one in (token, *(token.children or ()))]


def tables(text: str) -> list[list[list[str]]]:
    """Tables as rows of cells, each cell as its printed text."""
    found: list[list[list[str]]] = []
    for token in parsed(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level >= 4 and found[-1]:
            found[-1][-1].append("".join(child.content for child in token.children or ()))
    return found


def headings(text: str) -> list[str]:
    tokens = parsed(text)
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


def fences(text: str) -> list[Token]:
    return [token for token in parsed(text) if token.type == "fence"]


def nothing_got_out(text: str, images: int = 0) -> None:
    """No HTML, link or picture of a text's own; no control character; no rule or quote or list in a list that a text opened."""
    kinds = [token.type for token in every(text)]
    assert not {"html_block", "html_inline", "link_open", "hr", "blockquote_open", "code_block", "ordered_list_open"} & set(kinds)
    assert kinds.count("image") == images
    assert max((token.level for token in parsed(text) if token.type == "bullet_list_open"), default=0) == 0
    assert not set(text) & set("\x00\x1b\r\u202e\u2066\ud800")
    text.encode("utf-8")
