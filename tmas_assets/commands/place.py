"""The deployment that the environment states, for the command line."""

from resources.deployment import Deployment, DeploymentFault
from tmas_assets.commands.faults import CommandFault


def stated_deployment() -> Deployment:
    """Raises CommandFault naming the environment variable that cannot be used."""
    try:
        return Deployment.from_environment()
    except DeploymentFault as fault:
        raise CommandFault(str(fault)) from fault
