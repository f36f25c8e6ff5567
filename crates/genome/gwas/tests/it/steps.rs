//! P-1 for association results: runs that end at each of their steps, including each request for random bits.

use super::release::{Place, TWO, gain, top};
use deniable_core::budget::Spend;
use deniable_core::secret::Secret;
use deniable_gwas::{CohortFiles, Event, Means, Protects, Query, release};
use deniable_ledger::Ledger;
use deniable_publication::Publication;
use deniable_testing::{Sampler, Steps};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// One run, as if in a separate process: whether it drew, and its publication, unless it ended.
fn run(place: &Place, request: &Query, last: Option<u64>, seed: u64) -> (bool, Option<Publication>) {
    let steps = Steps::ending_at(last);
    let published = steps.run(|steps| {
        let promised = place.promised(gain());
        let mut ledger = Ledger::open_or_create(promised.ledger(), "people").unwrap();
        let mut rng = Sampler::new(steps, ChaCha20Rng::seed_from_u64(seed));
        let tell = |event: Event<'_>| {
            // All threads report reading; a panic of one of them does not model a kill.
            if matches!(event, Event::Answered(..) | Event::Picking) {
                steps.pass();
            }
        };
        let files = CohortFiles::new(place.files.clone());
        let means = Means { files: &files, threads: TWO, register: true, tell: &tell };
        release(&means, &promised, request, &mut ledger, &mut rng).unwrap().complete().unwrap()
    });
    (steps.has_drawn(), published)
}

/// Membership and labels pay together: one draw for both, and each account pays for each draw.
#[test]
fn both_accounts_are_drawn_once_for_each_payment() {
    let request = Query { protects: Protects::Both, share: deniable_core::exact::ratio(1, 8), ..top(2) };
    let (mut step, mut drawn_twice) = (0, 0);
    loop {
        let place = Place::new();
        let (first, ended) = run(&place, &request, Some(step), 3 * step);
        if ended.is_some() {
            break;
        }
        let (second, _) = run(&place, &request, Some(step % 7), 3 * step + 1);
        let (third, answer) = run(&place, &request, None, 3 * step + 2);
        let draws = [first, second, third].into_iter().filter(|drew| *drew).count();
        let accounts = place.summary().accounts;
        for secret in [Secret::Membership, Secret::Label] {
            let account = accounts.iter().find(|account| account.id.kind == secret).unwrap();
            let paid = account.releases.len();
            assert_eq!(draws, paid, "{secret:?}; the first run ended at step {step}");
            let costs = account.releases.iter().fold(Spend::nothing(), |sum, release| sum.and(&release.cost));
            assert_eq!(account.spent, costs);
        }
        drawn_twice += u64::from(draws > 1);
        let (drew, again) = run(&place, &request, None, 1);
        assert!(!drew);
        assert_eq!(again, answer);
        step += 1;
    }
    assert!(drawn_twice > 0, "no run ended while it drew; there are {step} steps");
}
