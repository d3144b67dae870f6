"""The Kubernetes jobs that dagster-k8s makes of runs: JSON of `launcher`, `location` and a list of `tags` in, JSON of the jobs out, no cluster.

Runs by the interpreter of build/deploy, where dagster-k8s is: `python tests/deploy/run_pod.py < run.json`.
"""

import json
import sys
import tempfile

import kubernetes.client
import yaml
from dagster import DagsterRun
from dagster._config import process_config, resolve_to_config_type
from dagster._core.code_pointer import ModuleCodePointer
from dagster._core.origin import JobPythonOrigin, RepositoryPythonOrigin
from dagster_k8s import K8sRunLauncher
from dagster_k8s.job import construct_dagster_k8s_job

CLUSTER = {
    "apiVersion": "v1", "kind": "Config", "current-context": "none",
    "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}],
    "clusters": [{"name": "none", "cluster": {"server": "http://127.0.0.1:1"}}], "users": [{"name": "none", "user": {}}],
}  # fmt: skip
"""Never asked."""


def main() -> None:
    given = json.load(sys.stdin)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(CLUSTER, file)
        file.flush()
        stated = {**given["launcher"], "load_incluster_config": False, "kubeconfig_file": file.name}
        read = process_config(resolve_to_config_type(K8sRunLauncher.config_type()), stated)
        if not read.success:
            raise SystemExit("\n".join(error.message for error in read.errors or ()))
        launcher = K8sRunLauncher.from_config_value(None, read.value)
    repository = RepositoryPythonOrigin(
        executable_path="python", code_pointer=ModuleCodePointer("tmas_assets.definitions", "defs", "/opt/tmas"),
        container_image="tmas-assets:0.1.0", container_context={"k8s": given["location"]},
    )  # fmt: skip
    jobs = []
    for tags in given["tags"]:
        run = DagsterRun(job_name="job", tags=tags, job_code_origin=JobPythonOrigin("job", repository))
        context = launcher.get_container_context_for_run(run)
        jobs.append(construct_dagster_k8s_job(
            context.get_k8s_job_config(repository.container_image, launcher), ["dagster", "api", "execute_run"], "dagster-run-1",
            user_defined_k8s_config=context.run_k8s_config, pod_name="dagster-run-1",
        ))  # fmt: skip
    json.dump(kubernetes.client.ApiClient().sanitize_for_serialization(jobs), sys.stdout)


if __name__ == "__main__":
    main()
