//! Small protocols, with two parties of one or two bits each.

use super::{Party, Protocol, ProtocolError, Row};
use deniable_core::exact::{Rational, ratio, whole};

fn bits(count: u32) -> Vec<String> {
    (0..1_usize << count).map(|value| format!("{value:0width$b}", width = count as usize)).collect()
}

/// Builds a protocol from a list of outcomes at each pair of inputs: for both parties a view and an output, with the
/// probability.
fn of(
    inputs: [Vec<String>; 2],
    play: impl Fn(usize, usize) -> Vec<([(String, String); 2], Rational)>,
) -> Result<Protocol, ProtocolError> {
    let mut rows = Vec::new();
    for x in 0..inputs[0].len() {
        for y in 0..inputs[1].len() {
            for (seen, probability) in play(x, y) {
                for (party, (view, output)) in Party::BOTH.into_iter().zip(seen) {
                    rows.push(Row { party, x, y, view, output, probability: probability.clone() });
                }
            }
        }
    }
    Protocol::new(inputs, rows)
}

/// AND of two bits by a trusted third party: each party sees only the output.
///
/// # Errors
/// Never: the table is a protocol.
pub fn and() -> Result<Protocol, ProtocolError> {
    of([bits(1), bits(1)], |x, y| {
        let output = (x & y).to_string();
        let seen = (output.clone(), output);
        vec![([seen.clone(), seen], whole(1))]
    })
}

/// XOR of two bits by secret sharing. Each party masks its bit with a coin and sends it; each adds the received bit to
/// its own coin and sends the sum; the two sums add up to the output.
///
/// A party's view is its coin, the other party's masked bit, and the other party's sum.
///
/// # Errors
/// Never: the table is a protocol.
pub fn xor() -> Result<Protocol, ProtocolError> {
    of([bits(1), bits(1)], |x, y| {
        let coins = (0..2).flat_map(|first| (0..2).map(move |second| (first, second)));
        let play = |(first, second): (usize, usize)| {
            let masked = [x ^ first, y ^ second];
            let sums = [first ^ masked[1], second ^ masked[0]];
            let output = (sums[0] ^ sums[1]).to_string();
            let view = |coin, masked, sum| format!("coin {coin}, masked {masked}, sum {sum}");
            let seen = [view(first, masked[1], sums[1]), view(second, masked[0], sums[0])];
            (seen.map(|view| (view, output.clone())), ratio(1, 4))
        };
        coins.map(play).collect()
    })
}

/// A constant output. The second party sends each bit of its input to the first, unchanged with probability `keep` and
/// inverted otherwise; the first party has only one input (E-5).
///
/// # Errors
/// When `keep` is not between 0 and 1.
pub fn noisy_bits(count: u32, keep: &Rational) -> Result<Protocol, ProtocolError> {
    of([vec!["none".to_owned()], bits(count)], |_, y| {
        let chance = |sent: usize| -> Rational {
            let each = (0..count).map(|bit| if (sent ^ y) >> bit & 1 == 0 { keep.clone() } else { whole(1) - keep });
            each.product()
        };
        let name = |value: usize| format!("{value:0width$b}", width = count as usize);
        let done = || "done".to_owned();
        (0..1_usize << count).map(|sent| ([(name(sent), done()), (done(), done())], chance(sent))).collect()
    })
}
