//! A cache of replies, because dashboards repeat the same queries.
//!
//! The reply to a query with a price changes only when an answer is withdrawn, because stored answers never change. The
//! reply to a query without a price is the stored answer with the highest price that contains it, so it depends on the
//! set of stored answers. Replies are cached with the numbers of answers and of withdrawals, which only grow.

use crate::queue::Key;
use deniable_wire::{Notice, OwnSettings, Query, Reply};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Approximate maximum size in bytes of all cached queries and replies.
const MOST_BYTES: usize = 64 << 20;
/// Bytes of a value besides its text; also used as an estimate for the other parts of a reply.
const OF_VALUE: usize = 32;

/// The user's part, the SQL and the settings.
type ReplyKey = (String, String, OwnSettings);

/// The numbers of answers and of withdrawn answers that a part sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerCount {
    /// The answers.
    pub answers: usize,
    /// The withdrawn ones among them.
    pub withdrawn: usize,
}

/// A reply, the key of the stored answer that contains it, and the counts at that time.
struct KnownReply {
    reply: Reply,
    held_by: Key,
    count: AnswerCount,
    /// Whether the reply depends on the number of answers.
    is_unpriced: bool,
}

/// The cached replies under one policy.
#[derive(Default)]
pub struct RememberedReplies(Mutex<ReplyCache>);

#[derive(Default)]
struct ReplyCache {
    replies: BTreeMap<ReplyKey, KnownReply>,
    bytes: usize,
}

fn asked(who: &str, query: &Query) -> ReplyKey {
    (who.to_owned(), query.sql.clone(), query.settings.clone())
}

/// The approximate size in bytes of a query and its reply. The query counts, too, because a client may send many long
/// variants of one query.
fn bytes((who, sql, settings): &ReplyKey, reply: &Reply) -> usize {
    let text = |text: &str| OF_VALUE + text.len();
    let settings = settings.0.iter().map(|(name, value)| text(name) + text(value)).sum::<usize>();
    let values = reply.rows.iter().flatten().map(|value| text(value.as_deref().unwrap_or_default())).sum::<usize>();
    let columns = reply.columns.iter().map(|column| text(&column.name)).sum::<usize>();
    let said = |notice: &Notice| text(&notice.message) + text(notice.detail.as_deref().unwrap_or_default());
    text(who) + text(sql) + settings + values + columns + reply.notices.iter().map(said).sum::<usize>()
}

impl RememberedReplies {
    /// The cached reply to a query, if it is valid for these counts.
    pub fn reply(&self, who: &str, query: &Query, count: AnswerCount) -> Option<(Reply, Key)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.replies.get(&asked(who, query))?;
        let holds =
            known.count.withdrawn == count.withdrawn && (!known.is_unpriced || known.count.answers == count.answers);
        holds.then(|| (known.reply.clone(), known.held_by.clone()))
    }

    /// Caches a reply, with the counts before it was made; `is_unpriced` if it depends on the number of answers.
    pub fn keep(&self, who: &str, query: &Query, reply: &Reply, held_by: Key, count: AnswerCount, is_unpriced: bool) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = asked(who, query);
        let own = bytes(&asked, reply);
        if let Some(before) = all.replies.remove(&asked) {
            all.bytes -= bytes(&asked, &before.reply);
        }
        // Clearing the cache is simpler than tracking the least recently used entries.
        if all.bytes + own > MOST_BYTES {
            *all = ReplyCache::default();
        }
        if own <= MOST_BYTES {
            all.bytes += own;
            all.replies.insert(asked, KnownReply { reply: reply.clone(), held_by, count, is_unpriced });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn replies_without_a_price_depend_on_the_number_of_answers() {
        let remembered = RememberedReplies::default();
        let query = |spend: Option<&str>| Query {
            sql: "SELECT COUNT(*) FROM t".into(),
            simulated: false,
            settings: OwnSettings(spend.map(|spend| ("spend".to_owned(), spend.to_owned())).into_iter().collect()),
        };
        let reply = |text: &str| Reply { rows: Arc::new(vec![vec![Some(text.to_owned())]]), ..Reply::default() };
        let key = || ("ana".to_owned(), "1".to_owned());
        let count = |answers| AnswerCount { answers, withdrawn: 0 };
        remembered.keep("ana", &query(None), &reply("free"), key(), count(3), true);
        remembered.keep("ana", &query(Some("1/8")), &reply("paid"), key(), count(3), false);
        let found =
            |who: &str, query: &Query, answers| remembered.reply(who, query, count(answers)).map(|(reply, _)| reply);
        assert_eq!(found("ana", &query(None), 3), Some(reply("free")));
        assert_eq!(found("ana", &query(None), 4), None);
        assert_eq!(found("ana", &query(Some("1/8")), 4), Some(reply("paid")));
        let withdrawn = AnswerCount { answers: 3, withdrawn: 1 };
        assert_eq!(remembered.reply("ana", &query(Some("1/8")), withdrawn).map(|(reply, _)| reply), None);
        assert_eq!(found("bo", &query(Some("1/8")), 4), None, "nobody is shown what another has");
    }

    /// The cache is bounded for any number and length of queries.
    #[test]
    fn cache_size_is_bounded() {
        let remembered = RememberedReplies::default();
        let query = |at: usize, length: usize| Query {
            sql: format!("SELECT COUNT(*) FROM t -- {at} {}", "x".repeat(length)),
            ..Query::default()
        };
        let reply = Reply { rows: Arc::new(vec![vec![Some("1".to_owned())]]), ..Reply::default() };
        let key = || ("ana".to_owned(), "1".to_owned());
        let one = AnswerCount { answers: 1, withdrawn: 0 };
        let kept = |query: &Query| remembered.reply("ana", query, one).is_some();
        for at in 0..200 {
            remembered.keep("ana", &query(at, 1 << 20), &reply, key(), one, true);
            // The same once more takes no more.
            remembered.keep("ana", &query(at, 1 << 20), &reply, key(), one, true);
            assert!(kept(&query(at, 1 << 20)), "the last one is there");
        }
        let left = (0..200).filter(|at| kept(&query(*at, 1 << 20))).count();
        assert!((1..=64).contains(&left), "{left} of 64 at most are there");
        remembered.keep("ana", &query(0, MOST_BYTES), &reply, key(), one, true);
        assert!(!kept(&query(0, MOST_BYTES)), "what is larger than all is not kept");
        let all = remembered.0.lock().unwrap();
        assert_eq!(all.bytes, all.replies.iter().map(|(asked, known)| bytes(asked, &known.reply)).sum::<usize>());
    }
}
