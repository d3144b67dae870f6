"""Which names a piece of Python defines, and which it needs from elsewhere. Leaves out what they stand for."""

import ast
import builtins
import symtable
import threading
import warnings
from collections.abc import Iterator
from functools import lru_cache

BUILTINS = frozenset(dir(builtins)) | {"__file__"}
_quiet = threading.Lock()
"""The filter of warnings is one for all threads."""
UNPARSEABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing any text may raise."""


@lru_cache(maxsize=8)
def parse(code: str) -> ast.Module | None:
    """None where it is not Python."""
    try:
        with _quiet, warnings.catch_warnings(action="ignore"):
            tree = ast.parse(code)
            compile(code, "answer", "exec", dont_inherit=True)  # a return outside of a function parses and does not compile
            return tree
    except UNPARSEABLE:
        return None


def defined(code: str) -> frozenset[str]:
    """Names bound at the top level of code that parses."""
    return frozenset(_bound(symtable.symtable(code, "answer", "exec")))


def needed(code: str) -> frozenset[str]:
    """Names that code that parses reads and neither binds itself nor finds among the builtins."""
    table = symtable.symtable(code, "answer", "exec")
    return frozenset(_read(table)) - frozenset(_bound(table)) - BUILTINS


def read(code: str) -> frozenset[str]:
    """Names of the top level, and of Python's own, that code that parses reads anywhere."""
    return frozenset(_read(symtable.symtable(code, "answer", "exec")))


def called(code: str) -> frozenset[str]:
    """Names that each assertion of code that parses calls."""
    found = [frozenset(node.func.id for node in ast.walk(one) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
             for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Assert)]
    return frozenset.intersection(*found) if found else frozenset()


def _bound(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
            yield symbol.get_name()
    for inner in _scopes(table):
        for symbol in inner.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                yield symbol.get_name()


def _read(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_referenced():
            yield symbol.get_name()
    for inner in _scopes(table):
        for symbol in inner.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                yield symbol.get_name()


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for inner in table.get_children():
        yield inner
        yield from _scopes(inner)


def empty(definition: ast.stmt) -> bool:
    """Whether a function or class is only announced: its body is `...`, `pass` or a docstring."""
    return isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and all(
        isinstance(line, ast.Pass) or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        for line in definition.body
    )
