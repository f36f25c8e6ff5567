//! Replies that were made before: a dashboard asks the same again and again.
//!
//! A reply to a question that states its price never changes, since what was stored is shown for ever. One to a question without a price is the dearest
//! answer that holds it, and so follows from the answers that there are: it is remembered with their number, which only grows.

use crate::queue::Key;
use deniable_wire::{OwnSettings, Question, Reply};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Cells of all replies together.
const MOST_CELLS: usize = 2_000_000;

/// Who asks, what, and with which settings.
type Asked = (String, String, OwnSettings);

/// A reply, the identity of what holds it, and the answers that there were.
struct Known {
    reply: Reply,
    held_by: Key,
    answers: Option<usize>,
}

/// Replies of one policy.
#[derive(Default)]
pub struct Remembered(Mutex<BTreeMap<Asked, Known>>);

fn asked(who: &str, question: &Question) -> Asked {
    (who.to_owned(), question.sql.clone(), question.settings.clone())
}

fn cells(reply: &Reply) -> usize {
    (reply.rows.len() + 1) * (reply.columns.len() + 1)
}

impl Remembered {
    /// The reply to a question, when there are so many answers.
    pub fn reply(&self, who: &str, question: &Question, answers: usize) -> Option<(Reply, Key)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(&asked(who, question))?;
        let holds = known.answers.is_none_or(|then| then == answers);
        holds.then(|| (known.reply.clone(), known.held_by.clone()))
    }

    /// Keeps one; `answers` where it follows from how many there are.
    pub fn keep(&self, who: &str, question: &Question, reply: &Reply, held_by: Key, answers: Option<usize>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Rather begin anew than look for what is asked least.
        if all.values().map(|known| cells(&known.reply)).sum::<usize>() + cells(reply) > MOST_CELLS {
            all.clear();
        }
        if cells(reply) <= MOST_CELLS {
            all.insert(asked(who, question), Known { reply: reply.clone(), held_by, answers });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn replies_without_a_price_follow_from_the_answers_that_there_are() {
        let remembered = Remembered::default();
        let question = |spend: Option<&str>| Question {
            sql: "SELECT COUNT(*) FROM t".into(),
            simulated: false,
            settings: OwnSettings(spend.map(|spend| ("spend".to_owned(), spend.to_owned())).into_iter().collect()),
        };
        let reply = |text: &str| Reply { rows: Arc::new(vec![vec![Some(text.to_owned())]]), ..Reply::default() };
        let key = || ("ana".to_owned(), "1".to_owned());
        remembered.keep("ana", &question(None), &reply("free"), key(), Some(3));
        remembered.keep("ana", &question(Some("1/8")), &reply("paid"), key(), None);
        let found =
            |who: &str, question: &Question, answers| remembered.reply(who, question, answers).map(|(reply, _)| reply);
        assert_eq!(found("ana", &question(None), 3), Some(reply("free")));
        assert_eq!(found("ana", &question(None), 4), None);
        assert_eq!(found("ana", &question(Some("1/8")), 4), Some(reply("paid")));
        assert_eq!(found("bo", &question(Some("1/8")), 4), None, "nobody is shown what another has");
    }
}
