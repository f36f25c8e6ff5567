//! Damaged queries and files, from a seeded mutator: a short form of fuzzing, a few thousand cases in each run.

#[path = "../../../../../fuzz/src/csv.rs"]
mod csv;
#[path = "../../../../../fuzz/src/sql.rs"]
mod sql;

use super::generate::Dice;
use deniable_testing::sized;
use std::time::{Duration, Instant};

const QUESTIONS: &str = include_str!("../../../../../fuzz/seeds/sql.txt");
const FILES: [&[u8]; 7] = [
    include_bytes!("../../../../../fuzz/seeds/csv/by-row.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/plain.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/windows.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/mark.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/no-header.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/only-header.csv"),
    include_bytes!("../../../../../fuzz/seeds/csv/open-quote.csv"),
];

/// Number of queries in each run; there are a twentieth as many files.
fn cases() -> u32 {
    sized(500, 15_000)
}

fn dice() -> Dice {
    Dice::new(deniable_testing::seed(20_261_121))
}

/// Tokens that are inserted at random.
const PIECES: [&str; 40] = [
    "NULL",
    "0",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1e999",
    "0.0000000000000000000001",
    "''",
    "'é\u{0}'",
    "\"\"",
    "(",
    ")",
    "((((((((",
    "*",
    ",",
    ";",
    "--",
    "/*",
    "||",
    "::BIGINT",
    "x",
    "t.x",
    "who",
    "free",
    "s",
    "b",
    "i",
    "g",
    "NOT",
    "AND b",
    "OR x IS NULL",
    "+",
    "/ 0",
    "% x",
    "CAST(",
    "AS",
    "ORDER BY 1",
    "LIMIT 0",
    "GROUP BY g",
    "\u{202e}",
];

/// Splits a query into words, texts, numbers and signs, each with its spaces.
fn words(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut words: Vec<String> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        match words.last_mut() {
            Some(word) if kind(c) == last && last < 2 => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = kind(c);
    }
    words
}

fn place(dice: &mut Dice, length: usize) -> usize {
    usize::try_from(dice.below(length as u64 + 1)).unwrap()
}

/// A query with a few words removed, duplicated, exchanged or taken from other queries.
fn damaged(dice: &mut Dice, all: &[Vec<String>]) -> String {
    let mut question = dice.pick(all).clone();
    for _ in 0..1 + dice.below(8) / 6 {
        let from = place(dice, question.len());
        let to = (from + place(dice, 6)).min(question.len());
        let put: Vec<String> = match dice.below(6) {
            0 => Vec::new(),
            1 => [question[from..to].to_vec(), question[from..to].to_vec()].concat(),
            2 => vec![" ".into(), (*dice.pick(&PIECES)).to_owned(), " ".into()],
            3 => {
                let other = dice.pick(all);
                let begin = place(dice, other.len());
                other[begin..(begin + place(dice, 12)).min(other.len())].to_vec()
            }
            // Deep and long: around the limits of the first gate, from both sides.
            4 => {
                let times = 1 << dice.below(9);
                let part = question[from..to].concat();
                vec!["(".repeat(times), part, ")".repeat(times)]
            }
            _ => {
                let sign = *dice.pick(&["+", "AND", "OR", ",", "-"]);
                let part = question[from..to].concat();
                vec![vec![part; 1 << dice.below(9)].join(&format!(" {sign} "))]
            }
        };
        question.splice(from..to, put);
        if question.iter().map(String::len).sum::<usize>() > 100_000 {
            break;
        }
    }
    question.concat()
}

#[test]
fn damaged_questions() {
    with_the_usual_stack(ask_damaged);
}

fn ask_damaged() {
    let seeds: Vec<Vec<String>> = QUESTIONS.lines().map(words).collect();
    let mut dice = dice();
    let began = Instant::now();
    let (mut understood, count) = (0, cases());
    let mut longest = (Duration::ZERO, String::new());
    for _ in 0..count {
        let question = damaged(&mut dice, &seeds);
        let started = Instant::now();
        understood += u32::from(said("question", question.as_bytes(), || sql::check(&question)));
        longest = longest.max((started.elapsed(), question));
    }
    println!("{count} questions in {:.1?}, {understood} understood; longest {:.2?}", began.elapsed(), longest.0);
    println!("  {}", longest.1.chars().take(300).collect::<String>());
    assert!(understood > count / 50, "the damage is too heavy to get past the first gate");
}

/// Writes the input to a file before the check: a stack overflow leaves no other trace.
fn said<T>(kind: &str, input: &[u8], check: impl FnOnce() -> T) -> T {
    std::fs::write(deniable_testing::scratch().unwrap().join(format!("fuzz-{kind}")), input).unwrap();
    check()
}

/// Runs with the stack of a program's main thread, as the command line has; test threads have a quarter of it.
fn with_the_usual_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(8 << 20).spawn(test).unwrap().join().unwrap();
}

/// Found by `damaged_questions` on the 2 MB stack of a test thread, which many of these overflow in unoptimised builds;
/// some overflow 4 MB.
#[test]
fn nesting_fits_into_the_usual_stack() {
    with_the_usual_stack(|| {
        let nestings = [("(SELECT + ", ")"), ("NOT ", ""), ("COALESCE(x, ", ")")];
        for (open, close) in nestings {
            for depth in [45, 55, 57, 59, 61, 100] {
                let inner = format!("{}x{}", open.repeat(depth), close.repeat(depth));
                for frame in
                    ["SELECT COUNT(*) FROM t WHERE #", "SELECT COUNT(*) FROM (SELECT #", "SELECT SUM(#) FROM t"]
                {
                    let question = frame.replace('#', &inner);
                    said("nesting", question.as_bytes(), || sql::check(&question));
                }
            }
        }
    });
}

/// After a syntax error inside words such as CASE, CAST and FLOOR the parser tries to read them as names. Found by
/// `damaged_questions` with another seed.
#[test]
fn syntax_errors_inside_nested_words_are_found_quickly() {
    let words =
        [("CASE - ", ""), ("CAST(", " AS BIGINT)"), ("TRY_CAST(", " AS BIGINT)"), ("FLOOR(", ")"), ("CEIL(", ")")];
    for (open, close) in words {
        with_the_usual_stack(move || {
            let question = format!("SELECT COUNT(*) FROM t WHERE {}x +{}", open.repeat(20), close.repeat(20));
            // A busy machine may delay one attempt by a second, but not five.
            let times = || {
                let began = Instant::now();
                sql::check(&question);
                began.elapsed()
            };
            let least = std::iter::repeat_with(times).take(5).find(|took| *took < Duration::from_secs(1));
            assert!(least.is_some(), "{open} took more than a second five times");
        });
    }
}

#[test]
fn undamaged_seeds_are_accepted() {
    let understood =
        QUESTIONS.lines().filter(|question| said("question", question.as_bytes(), || sql::check(question))).count();
    println!("{understood} of {} questions are understood", QUESTIONS.lines().count());
    assert!(understood > 50);
    let passed: Vec<bool> = FILES.iter().map(|file| csv::check(file)).collect();
    // The last has a quote that is never closed.
    assert_eq!(passed, [true, true, true, true, false, true, false]);
}

/// A file with some bytes removed, duplicated, exchanged or taken from other files.
fn damaged_file(dice: &mut Dice) -> Vec<u8> {
    let mut file = dice.pick(&FILES).to_vec();
    for _ in 0..1 + dice.below(8) / 6 {
        // Mostly after the first line, which must name the columns.
        let header = file.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let from = if dice.chance(85) { header + place(dice, file.len() - header) } else { place(dice, file.len()) };
        let to = (from + place(dice, 8)).min(file.len());
        let put = match dice.below(5) {
            0 => Vec::new(),
            1 => file[from..to].repeat(2),
            2 => dice
                .pick(&[&b","[..], b"\"", b"\n", b"\r\n", b"\xff", b"\0", b";", b"\t", b"1e400", b"\xef\xbb\xbf"])
                .to_vec(),
            3 => {
                let other = *dice.pick(&FILES);
                let begin = place(dice, other.len());
                other[begin..(begin + place(dice, 40)).min(other.len())].to_vec()
            }
            _ => file[from..].repeat(usize::try_from(dice.below(40)).unwrap()),
        };
        file.splice(from..to, put);
    }
    file
}

#[test]
fn damaged_files() {
    let mut dice = dice();
    let began = Instant::now();
    let count = cases() / 20;
    let passed: u32 = (0..count)
        .map(|_| {
            let file = damaged_file(&mut dice);
            u32::from(said("file", &file, || csv::check(&file)))
        })
        .sum();
    println!("{count} files in {:.1?}, {passed} passed the check", began.elapsed());
    assert!(passed > count / 10, "the damage is too heavy to get past the check");
}
