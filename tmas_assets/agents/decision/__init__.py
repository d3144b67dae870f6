"""The agents of a team decision: the CEO (plan, order, choice), experts and the red team (finding)."""
