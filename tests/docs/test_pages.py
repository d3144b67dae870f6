"""Every link of the README and the docs leads somewhere, and every message that the troubleshooting page quotes is one the code says."""

import re

import pytest

from tests.docs.guides import ROOT, guide

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"\]\(([^)#]*)(?:#([\w-]+))?\)")
_QUOTED = re.compile(r"^\| (.*?) \| ", re.MULTILINE)
_CODE = re.compile(r"`((?:[^`\\]|\\`)+)`")


def anchors(path):
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page):
    lost = []
    for path, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        if path.startswith("http"):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(f"{path}#{anchor}")
    assert lost == []


def test_every_message_that_is_explained_is_one_the_code_says():
    said = "".join(
        re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))
        for top in ("tmas_assets", "resources", "partitions")
        for path in (ROOT / top).rglob("*.py")
    ) + (ROOT / "tests" / "services.sh").read_text(encoding="utf-8")
    page = guide("troubleshooting").partition("## Installing")[2].partition("## Training")[0]
    quoted = [one.replace("\\`", "`") for row in _QUOTED.findall(page) for one in _CODE.findall(row)]
    known = {"QUEUED", "CANCELING", "Failed partitions"}  # Dagster's own words, and what a check is about
    assert len(quoted) > 30
    assert [one for one in quoted if one not in known and one.strip() not in said] == []
