"""Where this deployment keeps things: read from the environment, and secrets never told to Dagster."""

import json

import pytest

from resources.deployment import Deployment, DeploymentFault

PASSWORD = "planted-secret-7f3a"


def test_dagster_is_told_the_names_of_secrets_and_steps_get_their_values(monkeypatch):
    import dagster as dg

    monkeypatch.setenv("TMAS_CALL_LOG", f"postgresql+psycopg2://user:{PASSWORD}@host/db")
    monkeypatch.setenv("TMAS_STORE_OPTIONS", json.dumps({"secret": PASSWORD}))
    seen = []

    @dg.op
    def look(deployment: Deployment) -> None:
        seen.extend([deployment.call_log_url, deployment.store_options])

    @dg.job(resource_defs={"deployment": Deployment.for_definitions()})
    def job() -> None:
        look()

    schema = str(job.resource_defs["deployment"].config_schema.default_value)
    assert PASSWORD not in schema
    assert "TMAS_CALL_LOG" in schema
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(instance=instance)
        assert PASSWORD not in str(result.all_events)
        run = instance.get_run_by_id(result.run_id)
        assert PASSWORD not in str(run.run_config)
    assert all(PASSWORD in text for text in seen)
    assert len(seen) == 2


def test_a_faulty_secret_is_named_and_not_shown(monkeypatch):
    monkeypatch.setenv("TMAS_STORE_OPTIONS", f"{{secret: {PASSWORD}")
    with pytest.raises(DeploymentFault, match="TMAS_STORE_OPTIONS") as caught:
        Deployment.from_environment()
    assert PASSWORD not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_child_process_makes_the_very_same_deployment(monkeypatch, tmp_path):
    own = Deployment(
        home=str(tmp_path), store_root="s3://bucket/x", store_options='{"key": "k"}', call_log_url=f"postgresql://u:{PASSWORD}@h/d",
        data="/data", reports="/reports", serve_python="/python", grading_workers=5, code_isolation="none", scratch="/scratch",
        linger_seconds=7.5,
    )
    for name, value in own.environment().items():
        monkeypatch.setenv(name, value)
    assert Deployment.from_environment().model_dump() == own.model_dump()


def test_a_child_process_is_given_the_value_of_a_secret_and_not_the_name_of_its_variable(monkeypatch):
    monkeypatch.setenv("TMAS_CALL_LOG", f"postgresql+psycopg2://user:{PASSWORD}@host/db")
    assert PASSWORD in Deployment.for_definitions().environment()["TMAS_CALL_LOG"]
