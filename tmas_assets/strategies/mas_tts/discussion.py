"""How solver and critics come to the solution of a round, in both topologies.

Vertical: the solver proposes; up to I times all critics review the current version side by side and, where anybody
objects, the solver revises; the last revision is reviewed too. Horizontal: up to I times the critics speak in turn, each
hearing who spoke before, the solver concludes and all review the conclusion. Both end with consensus; where nobody objects and
too few have voted (there is nothing to revise); with a reply that brings no solution; and when the budget is spent.
Leaves out what comes before and after.
"""

from tmas_assets.agents.mas_tts import critic, team_solver
from tmas_assets.agents.mas_tts.briefing import Briefing, Said, within
from tmas_assets.records import Rollout, Verification
from tmas_assets.strategies.mas_tts.work import Before, Consensus, Work, objections, speaker, votes
from tmas_assets.strategies.step import together


class Discussion:
    """`current` is the last version that has a text; `ended` says why no more was asked."""

    def __init__(self, work: Work, before: Before, parts: tuple[str, ...], direction: str, max_tokens: int | None) -> None:
        self.work, self.before, self.parts, self.max_tokens = work, before, parts, max_tokens
        self.step, self.settings = work.step, work.settings
        self.told = Briefing(direction=direction, advice=before.advice)
        self.current: Rollout | None = None
        self.consensus: Consensus | None = None
        """Of the current version; None where nobody reviewed it."""
        self.reviews = 0
        self.ended = ""

    @property
    def critics(self) -> range:
        return range(len(self.parts) - 1) if self.settings.critic_iterations else range(0)

    async def run(self) -> None:
        if self.before.solution is not None and not self._goes_on():
            return
        if not self.critics:
            await self._solve(self.before.solution, self.before.objections, stages=1)
        elif self.settings.topology == "vertical":
            await self._vertical()
        else:
            await self._horizontal()
        self.ended = self.ended or ("nobody to review it" if not self.critics else "critic iterations are used up")

    async def _vertical(self) -> None:
        most = self.settings.critic_iterations
        said: tuple[Said, ...] = self.before.objections
        solved = await self._solve(self.before.solution, said, stages=2 * most + 2)
        for iteration in range(most + 1):
            if not solved or not self._goes_on():
                return
            said = await self._review(said, stages=2 * (most - iteration) + 1)
            if not said or iteration == most or not self._goes_on():
                return
            solved = await self._solve(self.current, said, stages=2 * (most - iteration))

    async def _horizontal(self) -> None:
        most, length = self.settings.critic_iterations, len(self.critics) + 2
        said: tuple[Said, ...] = self.before.objections
        solution = self.before.solution
        for iteration in range(most):
            stages = (most - iteration) * length + 1
            said = await self._speak(iteration, solution, said, stages)
            if not self._goes_on() and self.current is not None:
                return
            if not await self._solve(solution, said, stages=stages - length + 2) or not self._goes_on():
                return
            said = await self._review(said, stages=stages - length + 1)
            if not said or not self._goes_on():
                return
            solution = self.current

    def _goes_on(self) -> bool:
        if self.work.may_ask:
            return True
        self.ended = "the token budget is spent"
        return False

    async def _solve(self, solution: Rollout | None, said: tuple[Said, ...], *, stages: int) -> bool:
        """The next version. Where its reply has no text the version before it stands."""
        step, number = self.step, len(self.work.drafts)
        ask = within(step.ask(team_solver.ROLE, f"c{number}", to_go=self.work.priority(stages)), self.max_tokens)
        briefing = self.told.model_copy(update={"said": said})
        call = await step.team.ask(
            team_solver.ask(step.problem, ask, part=self.parts[0], solution=solution, briefing=briefing,
                            limits=self.settings.limits)
        )  # fmt: skip
        reply = team_solver.read(call, proof=False)
        alone = solution is None and not said
        made = step.rollout(
            number, "plain" if alone else "refine", ask, call, text=reply.text, answer=reply.answer,
            parents=[solution.id] if solution else (),
        )  # fmt: skip
        self.work.drafts.append(made)
        if not made.text.strip():
            self.ended = "the solver's reply has no text"
            return False
        self.current, self.consensus = made, None
        return True

    async def _review(self, said: tuple[Said, ...], *, stages: int) -> tuple[Said, ...]:
        """All critics vote on the current version. Their objections; none where that is the end."""
        draft = self.current
        assert draft is not None
        checks = await together(self._vote(draft, number, said, stages) for number in self.critics)
        self.work.checks += checks
        self.reviews += 1
        self.consensus = votes(checks)
        against = objections(checks)
        if self.consensus.reached:
            self.ended = "consensus"
        elif not against:
            self.ended = "too few critics voted, and nobody objects"
        return against

    async def _vote(self, draft: Rollout, number: int, said: tuple[Said, ...], stages: int) -> Verification:
        step = self.step
        place = f"c{draft.candidate}v{number}"
        ask = within(step.ask(critic.ROLE, place, to_go=self.work.priority(stages)), self.max_tokens)
        briefing = self.told.model_copy(update={"said": said, "said_before": True})
        call = await step.team.ask(
            critic.ask(step.problem, ask, part=self.parts[number + 1], solution=draft, briefing=briefing,
                       limits=self.settings.limits)
        )  # fmt: skip
        return step.check(draft, number, call, **dict(critic.read(call)))

    async def _speak(
        self, iteration: int, solution: Rollout | None, said: tuple[Said, ...], stages: int
    ) -> tuple[Said, ...]:
        """What was said before and what the critics add in turn. One that fails says nothing."""
        for number in self.critics:
            if not self._goes_on():
                return said
            ask = self.step.ask(critic.ROLE, f"p{iteration}s{number}", to_go=self.work.priority(stages - number))
            briefing = self.told.model_copy(update={"said": said})
            call = await self.step.team.ask(
                critic.speak(self.step.problem, within(ask, self.max_tokens), part=self.parts[number + 1], solution=solution,
                             briefing=briefing, limits=self.settings.limits)
            )  # fmt: skip
            heard = critic.read_speech(call)
            speech = critic.Speech(speaker=speaker(number), text=heard.text) if heard.parse == "parsed" else None
            self.work.turns.append(
                self.step.turn(critic.ROLE, f"p{iteration}s{number}", kind="Speech", data=speech, call=call, parse=heard.parse,
                               parse_error=heard.parse_error, about=[solution.id] if solution else ())
            )  # fmt: skip
            if speech is not None:
                said = (*said, Said(speaker=speech.speaker, text=speech.text))
        return said
