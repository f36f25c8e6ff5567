//! The best simulator, in floats, by a cone program. Its results are only candidates, which are then checked exactly.
//!
//! With `u = 1/R`, the bounds `Pr/R ≤ q ≤ R·Pr` are linear in the simulator, `u` and `R`, and `R·u ≥ 1` is a cone. So
//! one solve finds the smallest `R`, and its multipliers are the weights of a lower bound.

use super::game::{Base, Game};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
    ZeroConeT,
};
use deniable_core::exact::Rational;
use num_traits::{ToPrimitive, Zero};

pub(super) struct Solution {
    /// By sample and output, the probability of the answer.
    pub(super) simulator: Vec<Vec<f64>>,
    /// By base and output, the multipliers of the two bounds.
    pub(super) multipliers: Vec<Vec<(f64, f64)>>,
}

/// The number of non-zero coefficients in the program of this game.
pub(super) fn size(game: &Game) -> usize {
    game.bases.iter().map(|base| 2 * (base.samples.len() + 1) * game.outputs).sum()
}

/// The best simulator; `about` is an estimate of its ratio, used for scaling.
pub(super) fn solve(game: &Game, about: f64) -> Option<Solution> {
    let allowed = game.allowed();
    // Unknowns: R divided by `about`, u multiplied by `about`, and the simulator's answers.
    let mut unknowns = 2;
    let mut place = vec![vec![None; game.outputs]; game.samples.len()];
    for (sample, row) in allowed.iter().enumerate() {
        for (output, _) in row.iter().enumerate().filter(|(_, allowed)| **allowed) {
            place[sample][output] = Some(unknowns);
            unknowns += 1;
        }
    }
    let mut rows = Rows::default();
    for row in &place {
        rows.add(row.iter().flatten().map(|unknown| (*unknown, 1.0)), 1.0);
    }
    let equations = rows.sides.len();
    let bounded = |base: &Base| (0..game.outputs).filter(|output| !base.most[*output].1.is_zero()).collect::<Vec<_>>();
    for base in &game.bases {
        for output in bounded(base) {
            let (most, least) = (float(&base.most[output].1), float(&base.least[output].1));
            let answers = |scale: f64| {
                let each = base.samples.iter().filter_map(|(sample, share)| Some((place[*sample][output]?, share)));
                each.map(move |(unknown, share)| (unknown, scale * float(share)))
            };
            rows.add(answers(-about / most).chain([(1, 1.0)]), 0.0);
            if least > 0.0 {
                rows.add(answers(1.0 / (least * about)).chain([(0, -1.0)]), 0.0);
            }
        }
    }
    for unknown in 2..unknowns {
        rows.add([(unknown, -1.0)].into_iter(), 0.0);
    }
    let signs = rows.sides.len() - equations;
    // R·u ≥ 1 is |(R−u, 2)| ≤ R+u.
    rows.add([(0, -1.0), (1, -1.0)].into_iter(), 0.0);
    rows.add([(0, -1.0), (1, 1.0)].into_iter(), 0.0);
    rows.add(std::iter::empty(), 2.0);
    let cones = [ZeroConeT(equations), NonnegativeConeT(signs), SecondOrderConeT(3)];
    let mut goal = vec![0.0; unknowns];
    goal[0] = 1.0;
    let Rows { rows, columns, values, sides } = rows;
    let matrix = CscMatrix::new_from_triplets(sides.len(), unknowns, rows, columns, values);
    let none = CscMatrix::zeros((unknowns, unknowns));
    let settings = settings()?;
    let run = || {
        let mut solver = DefaultSolver::new(&none, &goal, &matrix, &sides, &cones, settings).ok()?;
        solver.solve();
        Some(solver.solution)
    };
    // A panic inside the solver counts as no solution.
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok()??;
    let finite = found.x.iter().chain(&found.z).all(|value| value.is_finite());
    // Even a poor solution can be good enough: it is checked anyway.
    if !finite || matches!(found.status, SolverStatus::PrimalInfeasible | SolverStatus::DualInfeasible) {
        return None;
    }
    let answer = |unknown: &Option<usize>| unknown.map_or(0.0, |unknown| found.x[unknown].max(0.0));
    let simulator = place.iter().map(|row| row.iter().map(answer).collect()).collect();
    let mut row = equations;
    let mut next = || {
        row += 1;
        found.z[row - 1].max(0.0)
    };
    let mut multipliers = vec![vec![(0.0, 0.0); game.outputs]; game.bases.len()];
    for (base, found) in game.bases.iter().zip(&mut multipliers) {
        for output in bounded(base) {
            let (most, least) = (float(&base.most[output].1), float(&base.least[output].1));
            found[output].0 = next() * about / most;
            if least > 0.0 {
                found[output].1 = next() / (least * about);
            }
        }
    }
    Some(Solution { simulator, multipliers })
}

/// A sparse matrix in triplet form, and the right sides of its rows.
#[derive(Default)]
struct Rows {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    sides: Vec<f64>,
}

impl Rows {
    fn add(&mut self, cells: impl Iterator<Item = (usize, f64)>, side: f64) {
        for (column, value) in cells {
            self.rows.push(self.sides.len());
            self.columns.push(column);
            self.values.push(value);
        }
        self.sides.push(side);
    }
}

/// One thread and no time limit, so that equal questions have equal answers.
fn settings() -> Option<DefaultSettings<f64>> {
    let mut builder = DefaultSettingsBuilder::default();
    builder.verbose(false).max_threads(1).direct_solve_method("qdldl".to_owned());
    builder.tol_gap_abs(1e-11).tol_gap_rel(1e-11).tol_feas(1e-11).build().ok()
}

fn float(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(0.0)
}
