"""The fields of Dagster's Helm chart that deploy/kubernetes/dagster-values.yaml may state, closed: a misspelt one is refused.

The chart is published at an address that neither CI nor every user reaches, so what it takes is written down here, from its schema
(dagster-io/dagster, helm/dagster/schema, and the templates beside it). Leaves out what Kubernetes and Dagster themselves check.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Kubernetes = dict[str, Any]
"""A part of a pod, which Kubernetes' own schema checks."""
Secrets = list[dict[Literal["name"], str]]


class Values(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class Image(Values):
    repository: str
    tag: str
    pull_policy: Literal["Always", "IfNotPresent", "Never"]


class Enabled(Values):
    enabled: bool


class Redis(Enabled):
    internal: bool = False


class Pod(Values):
    """What webserver, daemon and a code location have in common."""

    image: Image
    env: dict[str, str] | list[Kubernetes] = []
    env_secrets: Secrets = []
    env_config_maps: Secrets = []
    annotations: dict[str, str] = {}
    labels: dict[str, str] = {}
    node_selector: dict[str, str] = {}
    affinity: Kubernetes = {}
    tolerations: list[Kubernetes] = []
    pod_security_context: Kubernetes = {}
    security_context: Kubernetes = {}
    resources: Kubernetes = {}
    liveness_probe: Kubernetes = {}
    readiness_probe: Kubernetes = {}
    startup_probe: Kubernetes = {}
    volumes: list[Kubernetes] = []
    volume_mounts: list[Kubernetes] = []
    scheduler_name: str | None = None


class Service(Values):
    type: str = "ClusterIP"
    port: int


class Webserver(Pod):
    service: Service
    replica_count: int = 1
    path_prefix: str = ""
    enable_read_only: bool = False
    db_statement_timeout: int | None = None
    db_pool_recycle: int | None = None
    log_level: str = "warning"
    workspace: Kubernetes = {}


class CodeLocation(Pod):
    name: str
    dagster_api_grpc_args: list[str]
    port: int
    include_config_in_launched_runs: Enabled


class CodeLocations(Values):
    enabled: bool
    deployments: list[CodeLocation]


class Coordinator(Values):
    enabled: bool
    type: Literal["QueuedRunCoordinator"]
    config: dict[Literal["queuedRunCoordinator"], dict[str, Any]]


class Monitoring(Values):
    enabled: bool
    start_timeout_seconds: int
    cancel_timeout_seconds: int
    max_resume_run_attempts: int
    poll_interval_seconds: int
    free_slots_after_run_end_seconds: int


class Threads(Values):
    use_threads: bool
    num_workers: int
    num_submit_workers: int | None = None


class Daemon(Pod):
    enabled: bool
    run_coordinator: Coordinator
    run_monitoring: Monitoring
    run_retries: Enabled
    sensors: Threads
    schedules: Threads


class Postgres(Values):
    enabled: bool
    postgresql_host: str
    postgresql_username: str
    postgresql_database: str
    postgresql_scheme: str
    postgresql_params: dict[str, str] = {}
    service: dict[Literal["port"], int]


class RunK8sConfig(Values):
    container_config: Kubernetes = {}
    pod_spec_config: Kubernetes = {}
    pod_template_spec_metadata: Kubernetes = {}
    job_spec_config: Kubernetes = {}
    job_metadata: Kubernetes = {}


class K8sRunLauncher(Values):
    image_pull_policy: str
    load_incluster_config: bool
    job_namespace: str | None = None
    env_config_maps: Secrets = []
    env_secrets: Secrets = []
    env_vars: list[str] = []
    volumes: list[Kubernetes] = []
    volume_mounts: list[Kubernetes] = []
    labels: dict[str, str] = {}
    fail_pod_on_run_failure: bool | None = None
    resources: Kubernetes = {}
    scheduler_name: str | None = None
    security_context: Kubernetes = {}
    run_k8s_config: RunK8sConfig = Field(alias="runK8sConfig")


class RunLauncher(Values):
    type: Literal["K8sRunLauncher"]
    config: dict[Literal["k8sRunLauncher"], K8sRunLauncher]


class CustomClass(Values):
    module: str
    class_: str = Field(alias="class")
    config: dict[str, Any]


class ComputeLogs(Values):
    type: Literal["CustomComputeLogManager"]
    config: dict[Literal["customComputeLogManager"], CustomClass]


class Ticks(Values):
    purge_after_days: dict[Literal["skipped", "success", "failure", "started"], int]


class Retention(Values):
    enabled: bool
    schedule: Ticks
    sensor: Ticks
    auto_materialize: Ticks


class Global(Values):
    dagster_home: str
    postgresql_secret_name: str
    service_account_name: str = ""


class Chart(Values):
    global_: Global = Field(alias="global")
    dagster_webserver: Webserver
    code_locations: CodeLocations = Field(alias="dagster-user-deployments")
    postgresql: Postgres
    generate_postgresql_password_secret: bool
    run_launcher: RunLauncher
    dagster_daemon: Daemon
    compute_log_manager: ComputeLogs
    retention: Retention
    additional_instance_config: dict[str, Any]
    telemetry: Enabled
    rabbitmq: Enabled
    redis: Redis
    flower: Enabled
    ingress: Enabled
