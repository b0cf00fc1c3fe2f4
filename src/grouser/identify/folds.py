"""Values that each fold's training gives, and the ridge penalty by cross-validation over blocks."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from grouser.geometry import Array
from grouser.identify.pieces import Blocks
from grouser.identify.residuals import ResidualModel
from grouser.identify.solve import (
    Normal,
    Solution,
    cauchy_loss,
    irls_weights,
    ridge_unit,
    solve_robustly,
)

RIDGES = tuple(float(ridge) for ridge in np.geomspace(1e-5, 1.0, 11))
"""Penalties that are tried [1]."""
FOLD_STEPS = 3
"""Number of steps from the solution of all blocks to that of a fold's training."""


def fit_folds(solution: Solution, free: list[int], blocks: Blocks) -> list[Array]:
    """Return the values for each fold, from the blocks that the fold does not hold out.

    They are Newton steps from the solution of all blocks; for simulated families a single one, as
    its derivatives are known.
    """
    model = solution.model
    steps = 1 if model.family.is_simulated else FOLD_STEPS
    span = np.array([model.parameters[k].span for k in free])
    start = np.array([model.parameters[k].start for k in free])
    low, high = (
        np.array([getattr(model.parameters[k], name) for k in free]) for name in ("low", "high")
    )
    found = []
    for fold in range(blocks.folds):
        trained = np.tile(~blocks.held_out(fold)[model.windows.rows], model.shape[0])
        values, residuals, jacobian = solution.values.copy(), solution.residuals, solution.jacobian
        for number in range(steps if free else 0):
            if number:
                again = solve_robustly(model, values, free, most_steps=0)
                per = (again.scale / solution.scale)[model.channel]
                residuals, jacobian = again.residuals * per, again.jacobian * per[:, None]
            weights = np.where(trained, irls_weights(residuals), 0.0)
            shift = (values[free] - start) / span
            normal = Normal.of(jacobian, residuals, weights, model.penalty(free), shift)
            values[free] = np.clip(values[free] + normal.step * span, low, high)
            if np.all(np.abs(normal.step) < 0.1 * normal.standard_errors):
                break
        found.append(values)
    return found


def choose_ridge(
    model: ResidualModel, values: Array, blocks: Blocks, known: Collection[str]
) -> tuple[ResidualModel, Array]:
    """Return the model with the penalty that predicts held-out blocks best, and its values.

    The loss is taken as quadratic around the solution with a small penalty, block by block, so that
    all penalties and folds cost no further prediction.
    """
    free = [k for k, p in enumerate(model.parameters) if p.name not in known]
    model = replace(model, ridge=RIDGES[len(RIDGES) // 2], _simulated={})
    solution = solve_robustly(model, values, free, most_steps=12)
    span = np.array([model.parameters[k].span for k in free])
    shift = (solution.values[free] - [model.parameters[k].start for k in free]) / span
    weights = irls_weights(solution.residuals)
    fold = blocks.fold[blocks.number[model.windows.rows]]
    fold = np.tile(np.where(blocks.number[model.windows.rows] >= 0, fold, -1), model.shape[0])
    none = np.zeros(len(free))
    parts = [
        Normal.of(
            solution.jacobian, solution.residuals, np.where(fold == k, weights, 0.0), none, none
        )
        for k in range(blocks.folds)
    ]
    matrix = sum((p.matrix for p in parts), np.zeros((len(free),) * 2))
    gradient = sum((p.gradient for p in parts), none)
    is_shrunk = np.array([float(model.parameters[k].is_shrunk) for k in free])
    losses = []
    for ridge in RIDGES:
        penalty, loss = ridge * ridge_unit(matrix) * is_shrunk, 0.0
        for k, part in enumerate(parts):
            step = -np.linalg.lstsq(
                matrix - part.matrix + np.diag(penalty),
                gradient - part.gradient + penalty * shift, rcond=1e-12,
            )[0]  # fmt: skip
            moved = solution.residuals[fold == k] + solution.jacobian[fold == k] @ step
            loss += float(np.sum(cauchy_loss(moved)))
        losses.append(loss)
    best = replace(model, ridge=RIDGES[int(np.argmin(losses))], _simulated={})
    return best, solution.values
