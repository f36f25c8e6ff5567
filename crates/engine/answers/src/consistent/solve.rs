//! The nearest values that add up: weighted least squares under equations and sign constraints, by an interior-point
//! solver.
//!
//! The unknown of each cell is its change, in scales of its noise and of the widest gap to close: `x = y + λ w e`. The
//! solver's numbers are then of order 1, however large the answers and however far apart the levels are; without
//! scaling it fails to converge where distant levels meet at zero.

use super::shape::Shape;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};

/// For each level the values nearest to the noisy ones, by scales of their noise, that add up; zero or more if
/// `positive`, within the solver's tolerance. `None` when the solver finds no solution.
pub(super) fn nearest(shape: &Shape, noisy: &[&[i128]], scales: &[f64], positive: bool) -> Option<Vec<Vec<f64>>> {
    let levels = shape.levels.len();
    let starts: Vec<usize> = (0..=levels).map(|level| (0..level).map(|level| shape.cells(level)).sum()).collect();
    let unknowns = starts[levels];
    // A level outside the query has no noise; its cells use the smallest scale, as they are the smallest cells.
    let finest = scales.iter().copied().fold(f64::INFINITY, f64::min);
    let scale = |level: usize| scales.get(level).copied().unwrap_or(finest);
    let noisy = |level: usize, cell: usize| noisy.get(level).map_or(0, |cells| cells[cell]);

    let mut equations = Equations::default();
    for (coarse, fine) in &shape.links {
        // Σ (y + λ e) of the parts = y + λ e of the whole, in scales of the whole.
        let first = equations.sides.len();
        let mut gaps: Vec<i128> = (0..shape.cells(*coarse)).map(|cell| noisy(*coarse, cell)).collect();
        for (cell, parent) in shape.parents(*fine, *coarse).into_iter().enumerate() {
            gaps[parent] -= noisy(*fine, cell);
            equations.add(first + parent, starts[*fine] + cell, scale(*fine) / scale(*coarse));
        }
        for (cell, gap) in gaps.into_iter().enumerate() {
            equations.add(first + cell, starts[*coarse] + cell, -1.0);
            equations.sides.push(float(gap) / scale(*coarse));
        }
    }
    let equalities = equations.sides.len();
    // Sums of finest cells need no sign constraint of their own.
    for (level, _) in shape.finest.iter().filter(|_| positive) {
        for cell in 0..shape.cells(*level) {
            equations.add(equations.sides.len(), starts[*level] + cell, -1.0);
            equations.sides.push(float(noisy(*level, cell)) / scale(*level));
        }
    }
    // The least necessary changes: the gaps between levels, and negative values.
    let (gaps, signs) = equations.sides.split_at(equalities);
    let wide = gaps.iter().map(|gap| gap.abs()).chain(signs.iter().map(|value| -value)).fold(1.0, f64::max);
    equations.sides.iter_mut().for_each(|side| *side /= wide);
    let cones = [ZeroConeT(equalities), NonnegativeConeT(equations.sides.len() - equalities)];
    let Equations { rows, columns, values, sides } = equations;
    let matrix = CscMatrix::new_from_triplets(sides.len(), unknowns, rows, columns, values);
    let asked: Vec<usize> = (0..starts[shape.asked]).collect();
    let squares =
        CscMatrix::new_from_triplets(unknowns, unknowns, asked.clone(), asked.clone(), vec![1.0; asked.len()]);
    let moved = solved(&squares, &matrix, &sides, &cones)?;
    let value =
        |level: usize, cell: usize| float(noisy(level, cell)) + scale(level) * wide * moved[starts[level] + cell];
    Some((0..levels).map(|level| (0..shape.cells(level)).map(|cell| value(level, cell)).collect()).collect())
}

/// The unknowns, all finite; `None` when the solver fails.
///
/// A panic inside the solver counts as a failure: the answer is charged already, so it must be returned for any values.
fn solved(squares: &CscMatrix, matrix: &CscMatrix, sides: &[f64], cones: &[SupportedConeT<f64>]) -> Option<Vec<f64>> {
    let settings = settings()?;
    let solve = || {
        let mut solver = DefaultSolver::new(squares, &vec![0.0; squares.n], matrix, sides, cones, settings).ok()?;
        solver.solve();
        Some(solver.solution)
    };
    let solution = std::panic::catch_unwind(std::panic::AssertUnwindSafe(solve)).ok()??;
    let found = matches!(solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    (found && solution.x.iter().all(|moved| moved.is_finite())).then_some(solution.x)
}

/// The rows of a sparse matrix, and their right-hand sides.
#[derive(Default)]
struct Equations {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    sides: Vec<f64>,
}

impl Equations {
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }
}

/// One thread and no time limit, so that equal queries have equal solutions; no output on stdout.
fn settings() -> Option<DefaultSettings<f64>> {
    let mut builder = DefaultSettingsBuilder::default();
    builder.verbose(false).max_threads(1).direct_solve_method("qdldl".to_owned()).build().ok()
}

/// Exact up to 2^53; no guarantee depends on it.
#[expect(clippy::cast_precision_loss, reason = "callers pass small values")]
fn float(value: i128) -> f64 {
    value as f64
}
