"""`tmas site` on a home in which nothing was run yet, and where pages of an experiment lie that no file states."""

from tests.commands.test_tmas import tmas


def test_the_site_is_written_and_pages_of_experiments_that_no_file_states_go(tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "long_gone.html").write_text('<meta name="tmas-kind" content="experiment"><title>long gone</title>')
    (reports / "notes.html").write_text("<p>somebody's own</p>")
    done = tmas("site", TMAS_HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "pages of long_gone taken away" in done.stdout
    assert sorted(path.name for path in reports.iterdir()) == ["index.html", "notes.html"]
    assert "notes.html" not in (reports / "index.html").read_text()
