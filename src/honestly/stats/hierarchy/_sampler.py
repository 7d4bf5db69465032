"""Markov chain Monte Carlo for the hierarchical model: every step treats all agents, questions and fits at once.

Given the questions, agents are independent, and the other way round, so that one step moves all of a kind together,
each accepted by itself. A step proposes from Student's t around one scoring (Fisher) step of its own conditional
posterior and corrects by Metropolis and Hastings, so that nothing is tuned and the kernel is one throughout. What is
normal given the rest is drawn exactly. Scales move twice, with the effects that they scale fixed and with those
effects' standard scores fixed (Yu & Meng 2011, Journal of Computational and Graphical Statistics 20:531), and shifts
that change no probability are drawn by themselves.

Not covered: whether the chains have converged (`_diagnostics.py`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from honestly.stats.hierarchy._densities import cells_of, log_half_t, normal_log_density
from honestly.stats.hierarchy._design import (
    FREEDOM,
    LOCATION_SD,
    SCALES,
    Design,
    Floats,
    Parameters,
    Rng,
    location_sds,
    pass_logits,
)

_TAIL = 5.0  # degrees of freedom of the proposals: heavier tails than any conditional posterior has
_STEP = 0.8  # of the logarithm of the interactions' scale, where it moves with them
_TRADE = 2.4  # posterior standard deviations, were the mean log discrimination known from its prior alone
_ABILITIES = ("theta", "u", "coefficients", "b")
_FARTHEST = 2.0  # a scoring step is cut at so many proposal standard deviations: far out it would overshoot

Flags = NDArray[np.bool_]
Path = Callable[[Floats], tuple[Floats, Floats]]
"""From new values to the log-odds of all cells and their derivative by the values."""
Prior = Callable[[Floats], tuple[Floats, Floats, Floats]]
"""From values to log density, its derivative, and a precision."""
Sum = Callable[[Floats], Floats]
"""From cells to the sums that belong to each value."""
Spread = Callable[[Flags], Flags]
"""From values to the cells that each touches."""


class Sampler:
    """Chains (or independent fits) that advance together.

    Args:
        design: what the model has.
        passed: passes of each cell, shape (R or 1, A, Q); fractions count as such.
        trials: samples of each cell, the same shape; 0 where there is none.
        start: where the chains start; it is changed in place.
        rng: of all that is random.
    """

    def __init__(self, design: Design, passed: Floats, trials: Floats, start: Parameters, rng: Rng) -> None:
        self.design, self.passed, self.trials, self.at, self.rng = design, passed, trials, start, rng
        self._seen = np.broadcast_to(trials > 0, (len(start.theta), *trials.shape[1:]))
        self._members, self._columns = design.suite_members, design.columns
        self._sizes = self._members.sum(axis=0)
        start.e *= self._seen
        self._look_at_logits(pass_logits(design, start))

    def _look_at_logits(self, eta: Floats) -> None:
        self._eta, self._p, self._soft = cells_of(eta)

    def _move(self, x: Floats, path: Path, prior: Prior, total: Sum, spread: Spread) -> Floats:
        """One Metropolis-Hastings step of every value of `x`; values must be independent of each other given the rest.

        Returns the values after the step; the cells are kept up to date.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # a proposal that overflows has ratio NaN: not accepted
            slope = path(x)[1]
            here = self._local_proposal(x, (self._p, self._soft, self._eta), slope, prior, total)
            noise = self.rng.standard_t(_TAIL, x.shape)
            new = x + here[1] + noise * here[2]
            eta, slope = path(new)
            eta, p, soft = cells_of(eta)
            there = self._local_proposal(new, (p, soft, eta), slope, prior, total)
            back = (x - new - there[1]) / there[2]
            ratio = there[0] - here[0] + np.log(here[2] / there[2])
            ratio += (_TAIL + 1) / 2 * (np.log1p(noise * noise / _TAIL) - np.log1p(back * back / _TAIL))
            accepted = ratio > -self.rng.standard_exponential(x.shape)
            cells = spread(accepted)
            self._eta = np.where(cells, eta, self._eta)
            self._p = np.where(cells, p, self._p)
            self._soft = np.where(cells, soft, self._soft)
            return np.where(accepted, new, x)

    def _local_proposal(
        self, x: Floats, cells: tuple[Floats, Floats, Floats], slope: Floats, prior: Prior, total: Sum
    ) -> tuple[Floats, Floats, Floats]:
        """Log posterior, scoring step and proposal standard deviation of each value."""
        p, soft, eta = cells
        density, gradient, precision = prior(x)
        fitted = self.trials * p
        density = density + total(self.passed * eta - self.trials * soft)
        gradient = gradient + total((self.passed - fitted) * slope)
        precision = precision + total(fitted * (1 - p) * slope * slope)
        sd = 1 / np.sqrt(precision)
        return density, np.clip(gradient * sd, -_FARTHEST, _FARTHEST) * sd, sd

    def _by_suite(self, cells: Floats) -> Floats:
        return np.asarray(cells @ self._members)

    def pass_probabilities(self) -> Floats:
        """Of a pass in every cell, shape (R, A, Q); a cell without samples has a fresh interaction."""
        eta, at = pass_logits(self.design, self.at), self.at
        if self.design.interaction and not self._seen.all():
            eta = eta + np.where(self._seen, 0.0, at.phi[:, None, None] * self.rng.standard_normal(eta.shape))
        return cells_of(eta)[1]

    def sweep(self) -> None:
        """Update everything once."""
        self._update_agents()
        if self.design.suites > 1:
            self._update_deviations()
        self._update_questions()
        if self.design.two_parameter:
            self._update_discriminations()
        if self.design.interaction:
            self._update_interactions()
        self._update_hyperparameters()
        self._update_shifts()
        self._stretch_logits()
        if self.design.two_parameter:
            # Discriminations grown and abilities and difficulties shrunk by one factor, which changes no
            # probability.
            at, scales = self.at, self._scale_names()
            step = at.tau * _TRADE / np.sqrt(at.log_alpha.shape[1])
            x = step * self.rng.standard_normal(step.shape)
            before, after = (
                self._grown_prior(-y, scales)[0] - 0.5 * ((at.log_alpha + y[:, None]) ** 2).sum(axis=1) / at.tau**2
                for y in (np.zeros_like(x), x)
            )
            x = np.where(after - before > -self.rng.standard_exponential(x.shape), x, 0.0)
            at.log_alpha = at.log_alpha + x[:, None]
            self._grow(np.exp(-x), [*_ABILITIES, *scales])

    def _update_agents(self) -> None:
        at, alpha = self.at, np.exp(self.at.log_alpha)[:, None]
        fixed = at.e - alpha * at.b[:, None]
        several = self.design.suites > 1
        middle, sd = (at.theta[:, :, None], at.omega) if several else (0.0, at.s_theta)
        at.u = self._move(
            at.u,
            lambda u: (alpha * u[:, :, self.design.suite] + fixed, alpha),
            lambda u: normal_log_density(u, middle, sd[:, None, None]),
            self._by_suite,
            lambda accepted: accepted[:, :, self.design.suite],
        )
        if not several:
            at.theta = at.u[:, :, 0]

    def _update_deviations(self) -> None:
        """Abilities over all suites, and how much agents deviate from them."""
        at, alpha = self.at, np.exp(self.at.log_alpha)[:, None]
        fixed = at.e - alpha * at.b[:, None]
        deviation = at.u - at.theta[:, :, None]
        at.theta = self._move(
            at.theta,
            lambda theta: (alpha * (theta[:, :, None] + deviation)[:, :, self.design.suite] + fixed, alpha),
            lambda theta: normal_log_density(theta, 0.0, at.s_theta[:, None]),
            lambda cells: cells.sum(axis=2),
            lambda accepted: accepted[:, :, None],
        )
        at.u = at.theta[:, :, None] + deviation
        slope = alpha * deviation[:, :, self.design.suite]
        base = self._eta - slope
        at.omega, factor = self._move_scale("omega", at.omega, lambda k: (base + slope * k[:, None, None], slope))
        at.u = at.theta[:, :, None] + deviation * factor[:, None, None]
        precision = 1 / at.s_theta**2 + self.design.suites / at.omega**2
        mean = at.u.sum(axis=2) / (at.omega**2 * precision)[:, None]
        at.theta = mean + self.rng.standard_normal(mean.shape) / np.sqrt(precision)[:, None]
        squares = ((at.u - at.theta[:, :, None]) ** 2).sum(axis=(1, 2))
        at.omega = self._gibbs_scale("omega", at.omega, squares, at.u[0].size)

    def _move_scale(self, name: str, sd: Floats, path: Path) -> tuple[Floats, Floats]:
        """A scale moved with the standard scores of its effects fixed; also the factor by which the effects grow.

        `path` goes from that factor to the log-odds and their derivative by the factor.
        """

        def logarithmic(x: Floats) -> tuple[Floats, Floats]:
            factor = np.exp(x) / sd
            eta, slope = path(factor)
            return eta, slope * self._at_cells(factor)

        moved = self._move(
            np.log(sd), logarithmic, lambda x: log_half_t(x, SCALES[name]), self._per_scale(sd), self._touched_cells
        )
        return np.exp(moved), np.exp(moved) / sd

    def _at_cells(self, values: Floats) -> Floats:
        """A value for each fit, or for each fit and suite, at its cells."""
        return values[:, None, None] if values.ndim == 1 else values[:, None, self.design.suite]

    def _touched_cells(self, accepted: Flags) -> Flags:
        return accepted[:, None, None] if accepted.ndim == 1 else accepted[:, None, self.design.suite]

    def _per_scale(self, sd: Floats) -> Sum:
        if sd.ndim == 1:
            return lambda cells: cells.sum(axis=(1, 2))
        return lambda cells: np.asarray(cells.sum(axis=1) @ self._members)

    def _gibbs_scale(self, name: str, sd: Floats, squares: Floats, count: Floats | int) -> Floats:
        """A scale given the sum of squares of its effects (Wand et al. 2011, Bayesian Analysis 6:847)."""
        mixing = (FREEDOM / sd**2 + SCALES[name] ** -2) / self.rng.standard_gamma((FREEDOM + 1) / 2, sd.shape)
        shape = np.broadcast_to((FREEDOM + count) / 2, sd.shape)
        return np.sqrt((squares / 2 + FREEDOM / mixing) / self.rng.standard_gamma(shape))

    def _expected_difficulty(self) -> Floats:
        return np.asarray(self.at.coefficients @ self._columns.T)

    def _update_questions(self) -> None:
        at, alpha = self.at, np.exp(self.at.log_alpha)[:, None]
        fixed = at.e + alpha * at.u[:, :, self.design.suite]
        expected = self._expected_difficulty()
        sd = at.sigma[:, self.design.suite]
        at.b = self._move(
            at.b,
            lambda b: (fixed - alpha * b[:, None], -alpha),
            lambda b: normal_log_density(b, expected, sd),
            lambda cells: cells.sum(axis=1),
            lambda accepted: accepted[:, None],
        )
        slope = -alpha * (at.b - expected)[:, None]
        base = self._eta - slope
        at.sigma, factor = self._move_scale("sigma", at.sigma, lambda k: (base + slope * self._at_cells(k), slope))
        at.b = expected + (at.b - expected) * factor[:, self.design.suite]

    def _update_discriminations(self) -> None:
        at = self.at
        gap = at.u[:, :, self.design.suite] - at.b[:, None]

        def logits(log_alpha: Floats) -> tuple[Floats, Floats]:
            inner = np.exp(log_alpha)[:, None] * gap
            return inner + at.e, inner

        at.log_alpha = self._move(
            at.log_alpha,
            logits,
            lambda x: normal_log_density(x, 0.0, at.tau[:, None]),
            lambda cells: cells.sum(axis=1),
            lambda accepted: accepted[:, None],
        )

        def scaled(factor: Floats) -> tuple[Floats, Floats]:
            eta, slope = logits(at.log_alpha * factor[:, None])
            return eta, slope * at.log_alpha[:, None]

        at.tau, factor = self._move_scale("tau", at.tau, scaled)
        at.log_alpha = at.log_alpha * factor[:, None]
        at.tau = self._gibbs_scale("tau", at.tau, (at.log_alpha**2).sum(axis=1), at.log_alpha.shape[1])

    def _update_interactions(self) -> None:
        at = self.at
        base = self._eta - at.e
        moved = self._move(
            at.e,
            lambda e: (base + e, np.ones((1, 1, 1))),
            lambda e: normal_log_density(e, 0.0, at.phi[:, None, None]),
            lambda cells: cells,
            lambda accepted: accepted,
        )
        at.e = moved * self._seen
        at.phi, factor = self._move_scale("phi", at.phi, lambda k: (base + at.e * k[:, None, None], at.e))
        at.e = at.e * factor[:, None, None]
        at.phi = self._gibbs_scale("phi", at.phi, (at.e**2).sum(axis=(1, 2)), self._seen.sum(axis=(1, 2)))
        self._update_together()
        self._update_centred()

    def _update_together(self) -> None:
        """The scale of interactions with the interactions, which are proposed from a scoring step off zero.

        Near a scale of zero, where the other steps creep, the proposal is as good as the posterior; far from it this
        step is hardly ever accepted, and not needed.
        """
        at, seen = self.at, self._seen
        base = pass_logits(self.design, at) - at.e
        _, p, _ = cells_of(base)
        pull, information = self.passed - self.trials * p, self.trials * p * (1 - p)
        phi = at.phi * np.exp(_STEP * self.rng.standard_normal(at.phi.shape))

        def weight(phi: Floats, e: Floats, cells: tuple[Floats, Floats, Floats]) -> Floats:
            """Log of posterior over proposal, without what both have."""
            precision = information + phi[:, None, None] ** -2
            gap = e - pull / precision
            each = self.passed * cells[0] - self.trials * cells[2] - 0.5 * (e / phi[:, None, None]) ** 2
            each += 0.5 * precision * gap * gap - 0.5 * np.log(precision)
            prior = log_half_t(np.log(phi), SCALES["phi"])[0]
            return np.asarray((each * seen).sum(axis=(1, 2)) - seen.sum(axis=(1, 2)) * np.log(phi) + prior)

        precision = information + phi[:, None, None] ** -2
        e = (pull / precision + self.rng.standard_normal(base.shape) / np.sqrt(precision)) * seen
        ratio = weight(phi, e, cells_of(base + e)) - weight(at.phi, at.e, cells_of(base + at.e))
        accepted = ratio > -self.rng.standard_exponential(phi.shape)
        at.phi = np.where(accepted, phi, at.phi)
        at.e = np.where(accepted[:, None, None], e, at.e)

    def _update_centred(self) -> None:
        """Abilities and difficulties drawn with the log-odds of the cells, not the interactions, fixed."""
        at, alpha = self.at, np.exp(self.at.log_alpha)[:, None]
        several = self.design.suites > 1
        eta = alpha * (at.u[:, :, self.design.suite] - at.b[:, None]) + at.e
        weight = self._seen * (alpha / at.phi[:, None, None] ** 2)
        middle, sd = (at.theta[:, :, None], at.omega) if several else (0.0, at.s_theta)
        precision = self._by_suite(weight * alpha) + sd[:, None, None] ** -2
        mean = (self._by_suite(weight * (eta + alpha * at.b[:, None])) + middle / sd[:, None, None] ** 2) / precision
        at.u = mean + self.rng.standard_normal(mean.shape) / np.sqrt(precision)
        if not several:
            at.theta = at.u[:, :, 0]
        ability = at.u[:, :, self.design.suite]
        sd = at.sigma[:, self.design.suite]
        precision = (weight * alpha).sum(axis=1) + sd**-2
        mean = ((weight * (alpha * ability - eta)).sum(axis=1) + self._expected_difficulty() / sd**2) / precision
        at.b = mean + self.rng.standard_normal(mean.shape) / np.sqrt(precision)
        at.e = (eta - alpha * (ability - at.b[:, None])) * self._seen
        self._look_at_logits(pass_logits(self.design, at))

    def _update_hyperparameters(self) -> None:
        """Mean difficulties and effects of covariates, and the scales of difficulties and abilities."""
        at, columns = self.at, self._columns
        weight = at.sigma[:, self.design.suite] ** -2
        precision = (columns.T * weight[:, None]) @ columns + np.diag(location_sds(self.design) ** -2)
        half = np.linalg.inv(np.linalg.cholesky(precision))
        mean = np.einsum("rki,rkj,rj->ri", half, half, (weight * at.b) @ columns)
        noise = self.rng.standard_normal(mean.shape)
        at.coefficients = mean + np.einsum("rki,rk->ri", half, noise)
        ability = at.theta[:, :, None]
        slope = np.exp(at.log_alpha)[:, None] * np.broadcast_to(ability, at.u.shape)[:, :, self.design.suite]
        rest = self._eta - slope
        at.s_theta, factor = self._move_scale("s_theta", at.s_theta, lambda k: (rest + slope * k[:, None, None], slope))
        at.u = at.u + ability * (factor - 1)[:, None, None]
        at.theta = at.theta * factor[:, None]
        squares = (at.b - self._expected_difficulty()) ** 2 @ self._members
        at.sigma = self._gibbs_scale("sigma", at.sigma, squares, self._sizes)
        at.s_theta = self._gibbs_scale("s_theta", at.s_theta, (at.theta**2).sum(axis=1), at.theta.shape[1])

    def _update_shifts(self) -> None:
        """Moves of abilities and difficulties together, which change no probability."""
        at, suites = self.at, self.design.suites
        agents = at.theta.shape[1]
        if suites > 1:  # of one suite
            precision = agents / at.omega[:, None] ** 2 + LOCATION_SD**-2
            deviation = (at.u - at.theta[:, :, None]).sum(axis=1) / at.omega[:, None] ** 2
            step = self._drawn_shift(precision, deviation + at.coefficients[:, :suites] * LOCATION_SD**-2)
            at.u = at.u + step[:, None]
            at.b = at.b + step[:, self.design.suite]
            at.coefficients[:, :suites] += step
        precision = agents / at.s_theta**2 + suites * LOCATION_SD**-2
        ability = at.theta.sum(axis=1) / at.s_theta**2
        step = self._drawn_shift(precision, ability + at.coefficients[:, :suites].sum(axis=1) * LOCATION_SD**-2)
        at.theta = at.theta + step[:, None]
        at.u = at.u + step[:, None, None]
        at.b = at.b + step[:, None]
        at.coefficients[:, :suites] += step[:, None]

    def _stretch_logits(self) -> None:
        """All logits, and the scales of all that they consist of, grown by one factor."""
        at, base = self.at, self._eta
        scales = [*self._scale_names(), *["phi"] * self.design.interaction]

        def prior(x: Floats) -> tuple[Floats, Floats, Floats]:
            return self._grown_prior(x, scales)

        def logits(x: Floats) -> tuple[Floats, Floats]:
            eta = base * np.exp(x)[:, None, None]
            return eta, eta

        x = self._move(np.zeros(len(base)), logits, prior, self._per_scale(at.s_theta), self._touched_cells)
        self._grow(np.exp(x), [*_ABILITIES, "e", *scales])

    def _scale_names(self) -> list[str]:
        return ["s_theta", "sigma", *["omega"] * (self.design.suites > 1)]

    def _grown_prior(self, x: Floats, scales: list[str]) -> tuple[Floats, Floats, Floats]:
        """Log prior, derivative, a precision, when locations and scales grow by exp(x), with fixed standard scores."""
        spread = location_sds(self.design)
        squares = ((self.at.coefficients / spread) ** 2).sum(axis=1) * np.exp(2 * x)
        density, gradient = x * spread.size - squares / 2, spread.size - squares
        for name in scales:
            value = getattr(self.at, name).reshape(len(x), -1)
            part = log_half_t(x[:, None] + np.log(value), SCALES[name])
            density, gradient = density + part[0].sum(axis=1), gradient + part[1].sum(axis=1)
        return density, gradient, 1 + 2 * squares

    def _grow(self, factor: Floats, names: list[str]) -> None:
        for name in names:
            value = getattr(self.at, name)
            setattr(self.at, name, value * factor.reshape(-1, *[1] * (value.ndim - 1)))

    def _drawn_shift(self, precision: Floats, pull: Floats) -> Floats:
        return np.asarray(-pull / precision + self.rng.standard_normal(precision.shape) / np.sqrt(precision))
