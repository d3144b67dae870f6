"""deploy/compose: Docker Compose itself resolves it, the linter passes the Dockerfile, and what is promised of the services holds."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.conftest import DEPLOY, ROOT, Program, document

COMPOSE = DEPLOY / "compose"
FILE = COMPOSE / "compose.yaml"
PASSWORD = "planted-7f3a"
ORCHESTRATOR = {"prepare", "code", "webserver", "daemon"}


@pytest.fixture(scope="module")
def resolved(program: Program) -> dict[str, Any]:
    """The whole of it as Docker Compose understands it, with the profile `gpu`."""
    done = program("docker-compose", "-f", str(FILE), "--profile", "gpu", "config", "--format", "json", POSTGRES_PASSWORD=PASSWORD)
    assert done.stderr == ""  # its exit status is 0 whatever it finds
    assert PASSWORD not in done.stdout
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def test_the_model_server_starts_with_its_profile_only(program, resolved):
    without = program("docker-compose", "-f", str(FILE), "config", "--services", POSTGRES_PASSWORD=PASSWORD)
    assert set(without.stdout.split()) == {*ORCHESTRATOR, "postgres"}
    assert set(resolved["services"]) == {*ORCHESTRATOR, "postgres", "model"}


def test_a_misspelt_field_is_refused(program, tmp_path):
    faulty = document(FILE)
    faulty["services"]["webserver"]["healthchek"] = faulty["services"]["webserver"].pop("healthcheck")
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(faulty))
    done = program("docker-compose", "-f", str(tmp_path / "compose.yaml"), "config", POSTGRES_PASSWORD=PASSWORD)
    assert "services.webserver additional properties 'healthchek' not allowed" in done.stderr
    assert done.stdout == ""


def test_only_the_webserver_is_reached_from_outside_and_only_from_this_machine(resolved):
    published = {name: service["ports"] for name, service in resolved["services"].items() if service.get("ports")}
    assert [(port["host_ip"], port["target"]) for port in published.pop("webserver")] == [("127.0.0.1", 3000)]
    assert published == {}
    assert resolved["networks"]["inside"]["internal"] is True
    assert {name for name, service in resolved["services"].items() if set(service["networks"]) == {"inside"}} >= {"postgres", "model"}


def test_no_service_runs_as_root_or_may_become_it(resolved):
    for name, service in resolved["services"].items():
        assert service["user"] not in ("root", "0", "0:0"), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    users = re.findall(r"^USER (.+)$", (COMPOSE / "Dockerfile").read_text(), re.MULTILINE)
    assert users == [resolved["services"]["code"]["user"]]


def test_every_service_that_stays_says_whether_it_is_well(resolved):
    assert {name for name, service in resolved["services"].items() if "healthcheck" not in service} == {"prepare"}
    assert resolved["services"]["prepare"]["restart"] == "no"


def test_nothing_opens_the_storage_before_its_tables_are_made(resolved):
    services = resolved["services"]
    assert services["prepare"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert services["code"]["depends_on"]["prepare"]["condition"] == "service_completed_successfully"
    for name in ("webserver", "daemon"):
        assert services[name]["depends_on"]["code"]["condition"] == "service_healthy"


def test_one_image_serves_webserver_daemon_and_code_location(resolved):
    assert len({resolved["services"][name]["image"] for name in ORCHESTRATOR}) == 1
    assert not [name for name, service in resolved["services"].items() if service["image"].endswith(":latest")]


def test_dagster_and_the_call_log_have_a_database_each_and_no_url_holds_a_password(resolved):
    for name in ORCHESTRATOR:
        environment = resolved["services"][name]["environment"]
        urls = [environment["DAGSTER_POSTGRES_URL"], environment["TMAS_CALL_LOG"]]
        assert [url.rpartition("/")[2] for url in urls] == ["dagster", "calls"]
        assert all(re.fullmatch(r"postgresql\+psycopg2://tmas@postgres:5432/\w+", url) for url in urls)
        assert environment["PGPASSWORD_FILE"] == "/run/secrets/postgres_password"
    assert resolved["secrets"]["postgres_password"]["environment"] == "POSTGRES_PASSWORD"
    assert "CREATE DATABASE calls" in resolved["configs"]["databases"]["content"]


def test_keys_reach_the_place_where_runs_are_and_no_other(program, tmp_path):
    for file in COMPOSE.iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "keys.env").write_text("JUDGE_API_KEY=planted-key\n")
    done = program("docker-compose", "-f", str(tmp_path / "compose.yaml"), "config", "--format", "json", POSTGRES_PASSWORD=PASSWORD)
    services = json.loads(done.stdout)["services"]
    assert {name for name, service in services.items() if "planted-key" in json.dumps(service)} == {"code"}


def test_the_shipped_examples_hold_no_secret_and_git_ignores_the_filled_in_ones():
    for name in (".env", "keys.env"):
        stated = [line for line in (COMPOSE / f"{name}.example").read_text().splitlines() if line and not line.startswith("#")]
        assert all(line.endswith("=") for line in stated)
        assert subprocess.run(["git", "check-ignore", "-q", str(COMPOSE / name)], cwd=ROOT, check=False).returncode == 0
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {"deploy/**/.env", "deploy/**/keys.env", ".git", "tests"} <= set(ignored)


def test_what_is_mounted_and_copied_is_there(resolved):
    for config in resolved["configs"].values():
        assert "content" in config or Path(config["file"]).is_file()
    copied = [word for line in re.findall(r"^COPY (?:--\S+ )*(.+)$", (COMPOSE / "Dockerfile").read_text(), re.MULTILINE)
              for word in line.split()[:-1]]  # fmt: skip
    assert len(copied) > 8
    assert [path for path in copied if not (ROOT / path).exists()] == []


def test_the_dockerfile_passes_its_linter(program):
    done = program("hadolint", str(COMPOSE / "Dockerfile"))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("given", ["pa ss'\"$word\n", "simple"])
def test_the_entrypoint_hands_on_the_password_of_the_secrets_file_and_the_command_as_it_is(tmp_path, given):
    (tmp_path / "secret").write_text(given)
    done = _entrypoint("printenv", "PGPASSWORD", PGPASSWORD_FILE=str(tmp_path / "secret"))
    assert done.stdout == given.rstrip("\n") + "\n"
    assert _entrypoint("printf", "%s|", "a b", "$c").stdout == "a b|$c|"


def test_the_entrypoint_refuses_a_secrets_file_that_is_not_there_by_its_name(tmp_path):
    done = _entrypoint("true", PGPASSWORD_FILE=str(tmp_path / "none"))
    assert done.returncode == 1
    assert f"PGPASSWORD_FILE is {tmp_path}/none, which cannot be read" in done.stderr


def _entrypoint(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(COMPOSE / "entrypoint.sh"), *command], env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, text=True, check=False
    )
