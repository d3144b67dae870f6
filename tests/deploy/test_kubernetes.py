"""deploy/kubernetes: our chart through helm, every object by Kubernetes' schema, the values of Dagster's chart by Dagster itself."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster.components.testing import create_defs_folder_sandbox
from dagster_postgres.utils import pg_url_from_config
from pydantic import ValidationError

from resources.deployment import Deployment
from tests.deploy.chart_values import Chart
from tests.deploy.conftest import DEPLOY, ROOT, Program, document
from tmas_assets.commands.dagster_home import prepare_dagster_home

FOLDER = DEPLOY / "kubernetes"
CHART = FOLDER / "model-server"
VALUES = FOLDER / "dagster-values.yaml"
MODEL = ("--set", "model.path=some/model", "--set", "model.name=Some/Model")
IDENTITY = {"service_account_name": "tmas-dagster", "instance_config_map": "tmas-dagster-instance", "postgres_password_secret": "tmas-postgres"}
"""What the chart states of its own release."""


def objects(text: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(text) if each]


@pytest.fixture
def template(program: Program, tmp_path: Path):
    """Our chart's objects, each valid for Kubernetes to the last field."""

    def render(*arguments: str) -> dict[tuple[str, str], Any]:
        done = program("helm", "template", "qwen", str(CHART), "--namespace", "research", *MODEL, *arguments)
        assert done.returncode == 0, done.stderr
        valid(program, tmp_path, done.stdout)
        return {(each["kind"], each["metadata"]["name"]): each for each in objects(done.stdout)}

    return render


def valid(program: Program, folder: Path, text: str) -> None:
    (folder / "objects.yaml").write_text(text)
    done = program("kubernetes-validate", "--strict", str(folder / "objects.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_validator_refuses_a_misspelt_field(program, tmp_path):
    faulty = (FOLDER / "platform.yaml").read_text().replace("readinessProbe", "readynessProbe")
    (tmp_path / "objects.yaml").write_text(faulty)
    done = program("kubernetes-validate", "--strict", str(tmp_path / "objects.yaml"))
    assert done.returncode != 0
    assert "readynessProbe" in done.stdout + done.stderr


def test_the_chart_of_the_model_server_passes_helms_linter(program):
    done = program("helm", "lint", "--strict", str(CHART), *MODEL)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("given", "named"),
    [("model.path=", "/model/path"), ("model.path=/absolute", "/model/path"), ("replica=3", "replica"), ("image=vllm/vllm-openai:latest", "/image"),
     ("router.policy=luck", "/router/policy")],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_by_its_name(program, given, named):
    done = program("helm", "template", "qwen", str(CHART), *MODEL, "--set", given)
    assert done.returncode != 0
    assert named in done.stderr


def test_every_replica_has_its_gpus_and_the_router_finds_it_by_label(template):
    made = template("--set", "replicas=3", "--set", "gpus=4", "--set", "model.arguments={--reasoning-parser,qwen3}")
    replicas, router = made["Deployment", "qwen-vllm"], made["Deployment", "qwen-router"]
    (vllm,) = replicas["spec"]["template"]["spec"]["containers"]
    assert replicas["spec"]["replicas"] == 3
    assert vllm["resources"]["requests"]["nvidia.com/gpu"] == vllm["resources"]["limits"]["nvidia.com/gpu"] == 4
    assert vllm["resources"]["requests"]["memory"] == "32Gi"
    assert vllm["args"][:3] == ["/models/some/model", "--served-model-name", "Some/Model"]
    assert vllm["args"][-2:] == ["--reasoning-parser", "qwen3"]
    assert _after("--tensor-parallel-size", vllm["args"]) == "4"
    arguments = router["spec"]["template"]["spec"]["containers"][0]["args"]
    first = arguments.index("--selector") + 1
    wanted = dict(pair.split("=") for pair in arguments[first : first + 2])
    assert wanted.items() <= replicas["spec"]["template"]["metadata"]["labels"].items()
    assert not wanted.items() <= router["spec"]["template"]["metadata"]["labels"].items()
    assert _after("--service-discovery-namespace", arguments) == "research"
    assert made["Role", "qwen-router"]["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]


def test_the_router_takes_all_of_its_arguments(programs, template):
    (router,) = template()["Deployment", "qwen-router"]["spec"]["template"]["spec"]["containers"]
    code = "import sys; from vllm_router.launch_router import parse_router_args as p; a = p(sys.argv[1:]); print(a.policy, a.selector, a.request_timeout_secs)"
    done = subprocess.run([str(programs / "python"), "-c", code, *router["args"]], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "consistent_hash"
    assert "'app.kubernetes.io/component': 'vllm'" in done.stdout
    assert done.stdout.split()[-1] == "43200"


def test_no_pod_of_ours_runs_as_root(program, template, tmp_path):
    text = (FOLDER / "platform.yaml").read_text()
    valid(program, tmp_path, text)
    pods = [each["spec"]["template"]["spec"] for each in [*objects(text), *template().values()] if "template" in each.get("spec", {})]
    assert len(pods) == 3
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert not container["image"].endswith(":latest")


def test_the_images_that_are_named_are_the_ones_that_are_built(program, template):
    (router,) = template()["Deployment", "qwen-router"]["spec"]["template"]["spec"]["containers"]
    recipe = (FOLDER / "router.Dockerfile").read_text()
    assert f"-t {router['image']} " in recipe
    pinned = next(line for line in (ROOT / "requirements" / "deploy-tests.txt").read_text().splitlines() if line.startswith("vllm-router=="))
    assert pinned in recipe
    assert router["image"].endswith(pinned.partition("==")[2])
    assert program("hadolint", str(FOLDER / "router.Dockerfile")).stdout == ""


def test_a_run_gets_the_secrets_the_volume_and_its_own_resources_and_is_a_valid_job(run_pods, program, tmp_path):
    job, _ = run_pods
    valid(program, tmp_path, yaml.safe_dump(job))
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["resources"] == {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"memory": "16Gi"}}
    assert container["envFrom"] == [{"secretRef": {"name": "tmas-keys"}}]
    environment = {each["name"]: each.get("value", each.get("valueFrom")) for each in container["env"]}
    assert environment["TMAS_CALL_LOG"] == "postgresql+psycopg2://tmas@tmas-postgres:5432/calls"
    assert environment["PGPASSWORD"] == {"secretKeyRef": {"name": "tmas-postgres", "key": "postgresql-password"}}
    assert environment["TMAS_HOME"] == next(each["mountPath"] for each in container["volumeMounts"] if each["name"] == "home")
    assert [volume["name"] for volume in pod["volumes"]] == ["home"]
    assert pod["terminationGracePeriodSeconds"] == 180


def test_a_run_that_is_tagged_for_gpus_gets_them_besides_what_every_run_gets(run_pods):
    (container,) = run_pods[1]["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"memory": "16Gi", "nvidia.com/gpu": "8"}
    assert container["resources"]["requests"]["memory"] == "4Gi"


def test_the_values_of_dagsters_chart_are_fields_that_it_has():
    Chart.model_validate(document(VALUES))
    faulty = document(VALUES)
    faulty["dagsterDaemon"]["runMonitoring"]["pollSeconds"] = 60
    with pytest.raises(ValidationError, match="pollSeconds"):
        Chart.model_validate(faulty)


def test_webserver_daemon_and_code_location_are_valid_pods_of_one_image(program, tmp_path):
    values = document(VALUES)
    parts = [values["dagsterWebserver"], values["dagsterDaemon"], *values["dagster-user-deployments"]["deployments"]]
    pods = [_pod(part, f"part-{place}") for place, part in enumerate(parts)]
    valid(program, tmp_path, yaml.safe_dump_all(pods))
    assert len({json.dumps(part["image"], sort_keys=True) for part in parts}) == 1
    assert all(pod["spec"]["securityContext"]["runAsNonRoot"] for pod in pods)


def test_the_instance_that_the_chart_makes_of_the_values_keeps_the_promises_of_dagster_yaml(tmp_path, monkeypatch):
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(_instance(document(VALUES))))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    prepare_dagster_home()
    (tmp_path / "laptop").mkdir()
    (tmp_path / "laptop" / "dagster.yaml").write_text((ROOT / "dagster.yaml").read_text())
    with dg.DagsterInstance.get() as made, dg.DagsterInstance.from_config(str(tmp_path / "laptop")) as laptop:
        ours, theirs = made.get_concurrency_config(), laptop.get_concurrency_config()
        assert ours.pool_config == theirs.pool_config
        assert ours.run_queue_config.tag_concurrency_limits == theirs.run_queue_config.tag_concurrency_limits
        assert ours.run_queue_config.max_concurrent_runs == 32
        for settings in ("run_retries", "retention", "freshness", "backfills"):
            assert made.get_settings(settings) == laptop.get_settings(settings), settings
        assert made.run_monitoring_enabled
        assert made.run_monitoring_settings["free_slots_after_run_end_seconds"] == 60
        assert not made.telemetry_enabled


def test_dagsters_storage_is_the_postgres_of_platform_yaml():
    values = document(VALUES)["postgresql"]
    url = pg_url_from_config({"postgres_db": {
        "username": values["postgresqlUsername"], "password": "secret", "hostname": values["postgresqlHost"],
        "db_name": values["postgresqlDatabase"], "port": values["service"]["port"], "scheme": values["postgresqlScheme"],
    }})  # fmt: skip
    assert url == "postgresql+psycopg2://tmas:secret@tmas-postgres:5432/dagster"
    named = {(each["kind"], each["metadata"]["name"]): each for each in objects((FOLDER / "platform.yaml").read_text())}
    (postgres,) = named["StatefulSet", "tmas-postgres"]["spec"]["template"]["spec"]["containers"]
    environment = {each["name"]: each["value"] for each in postgres["env"]}
    assert (environment["POSTGRES_USER"], environment["POSTGRES_DB"]) == ("tmas", "dagster")
    claims = {volume["persistentVolumeClaim"]["claimName"] for volume in document(VALUES)["dagsterWebserver"]["volumes"]}
    assert claims | {document(CHART / "values.yaml")["model"]["claim"]} <= {name for kind, name in named if kind == "PersistentVolumeClaim"}


@pytest.mark.filterwarnings("ignore")
def test_the_example_experiment_loads_and_asks_the_routers_service(template):
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.defs_folder_path / "math500_on_kubernetes"
        folder.mkdir(parents=True)
        shutil.copy(FOLDER / "experiment.yaml", folder / "defs.yaml")
        with sandbox.load_component_and_build_defs(defs_path=folder) as (file, defs):
            whole = dg.Definitions.merge(defs, dg.Definitions(resources={"deployment": Deployment.from_environment()}))
            assert whole.resolve_job_def("math500_on_kubernetes_campaign")
            endpoint = file.experiment.endpoints["default"]
    service = template()["Service", "qwen-router"]
    assert endpoint.urls == (f"http://qwen3-4b-router:{service['spec']['ports'][0]['port']}/v1",)
    assert f"helm install qwen3-4b deploy/kubernetes/model-server --set model.path=Qwen3-4B-Thinking-2507 --set model.name={endpoint.model}" in (
        CHART / "values.yaml"
    ).read_text()
    longest = endpoint.base_seconds + endpoint.sampling.max_tokens / endpoint.min_tokens_per_second
    assert document(CHART / "values.yaml")["router"]["requestSeconds"] > longest
    assert endpoint.sampling.max_tokens <= document(CHART / "values.yaml")["model"]["maxLength"]


def _after(name: str, arguments: list[str]) -> str:
    return arguments[arguments.index(name) + 1]


def _pod(part: dict[str, Any], name: str) -> dict[str, Any]:
    image = f"{part['image']['repository']}:{part['image']['tag']}"
    container = {"name": "it", "image": image, "resources": part["resources"], "securityContext": part["securityContext"],
                 "volumeMounts": part["volumeMounts"], "env": part.get("env", []),
                 "envFrom": [{"secretRef": secret} for secret in part.get("envSecrets", [])]}  # fmt: skip
    spec = {"securityContext": part["podSecurityContext"], "containers": [container], "volumes": part["volumes"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


@pytest.fixture(scope="module")
def run_pods(programs: Path) -> Any:
    """The jobs that dagster-k8s makes of a run without tags and of one tagged for GPUs, given what the chart makes of the values."""
    gpus = {"container_config": {"resources": {"limits": {"nvidia.com/gpu": "8"}}}}
    values = document(VALUES)
    launcher = values["runLauncher"]["config"]["k8sRunLauncher"]
    (location,) = values["dagster-user-deployments"]["deployments"]
    assert location["includeConfigInLaunchedRuns"] == {"enabled": False}
    given = {
        "launcher": {
            **IDENTITY, "dagster_home": values["global"]["dagsterHome"], "image_pull_policy": launcher["imagePullPolicy"],
            "volumes": launcher["volumes"], "volume_mounts": launcher["volumeMounts"], "labels": launcher["labels"],
            "security_context": launcher["securityContext"], "env_secrets": [secret["name"] for secret in launcher["envSecrets"]],
            "run_k8s_config": {_snake(name): part for name, part in launcher["runK8sConfig"].items()},
        },
        "location": {},
        "tags": [{}, {"dagster-k8s/config": json.dumps(gpus)}],
    }  # fmt: skip
    done = subprocess.run(
        [str(programs / "python"), str(Path(__file__).with_name("run_pod.py"))], input=json.dumps(given), capture_output=True, text=True,
        timeout=120, check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _instance(values: dict[str, Any]) -> dict[str, Any]:
    """dagster.yaml as the chart's template writes it, but for storage and run launcher, which need a cluster."""
    daemon, logs = values["dagsterDaemon"], values["computeLogManager"]["config"]["customComputeLogManager"]
    return {
        "run_coordinator": {
            "module": "dagster._core.run_coordinator", "class": daemon["runCoordinator"]["type"],
            "config": daemon["runCoordinator"]["config"]["queuedRunCoordinator"],
        },
        "compute_logs": {**logs, "config": {"base_dir": "/nonexistent"}},
        "run_monitoring": {_snake(name): value for name, value in daemon["runMonitoring"].items()},
        "sensors": {_snake(name): value for name, value in daemon["sensors"].items()},
        "schedules": {_snake(name): value for name, value in daemon["schedules"].items()},
        "telemetry": values["telemetry"],
        "retention": {_snake(kind): {"purge_after_days": values["retention"][kind]["purgeAfterDays"]} for kind in ("schedule", "sensor", "autoMaterialize")},
        **values["additionalInstanceConfig"],
    }  # fmt: skip


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
