//! Damaged copies of valid files, for tests with seeded mutations. libFuzzer has its own mutations.

/// A damaged copy: a few cuts, repetitions, insertions of `pieces` or of parts of the file, and stray bytes. The first
/// `keep` bytes are unchanged. `below(n)` draws a number below `n`.
pub fn damaged(good: &[u8], keep: usize, pieces: &[&[u8]], below: &mut dyn FnMut(usize) -> usize) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..=below(3) {
        let from = keep.min(bytes.len()) + below(bytes.len().saturating_sub(keep) + 1);
        let from = from.min(bytes.len());
        let to = (from + below(6)).min(bytes.len());
        let put: Vec<u8> = match below(5) {
            0 => Vec::new(),
            1 => pieces[below(pieces.len())].to_vec(),
            2 => bytes[from..to].repeat(2),
            3 => vec![below(256) as u8],
            _ => {
                let begin = below(bytes.len() + 1);
                bytes[begin..(begin + below(40)).min(bytes.len())].to_vec()
            }
        };
        bytes.splice(from..to, put);
    }
    bytes
}
