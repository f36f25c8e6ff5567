//! A connection of an approver, who decides which queries of analysts may be charged.
//!
//! An approver sees what one analyst sees: the query, public facts, and that analyst's own account. A decision that
//! depends on these alone therefore reveals nothing about other analysts to that analyst (C-7). `deniable.analyst`
//! selects the one analyst to look at.

use crate::accounts::Role;
use crate::analyst::setting;
use crate::describe::{self, SIMULATED, description};
use crate::failures::{self, Refusal};
use crate::request::{PlanSlot, Request, blocking};
use crate::server::Connection;
use async_trait::async_trait;
use deniable_ledger::Part;
use deniable_wire::catalog::Description;
use deniable_wire::{
    Code, Column, Failure, OwnSettings, Place, PreparedQuery, Query, Reply, Rows, Session, Submission,
};
use std::sync::Arc;

/// The settings, with their initial values.
const SETTINGS: [(&str, &str); 4] = [("analyst", ""), ("spend", ""), ("intervals", "off"), ("quality", "off")];

/// The session of an approver.
pub struct Approver(Arc<Connection>);

/// A query of the session, with its plan.
struct ApproverQuery {
    connected: Arc<Connection>,
    query: Query,
    plan: Arc<PlanSlot>,
}

impl ApproverQuery {
    fn ask(&self, part: Part) -> Result<Arc<Request>, Failure> {
        self.connected.ask(part, &self.query, &self.plan)
    }

    fn own(&self) -> Part {
        Part::Named(self.connected.user.clone())
    }
}

/// The part of the analyst with this name. The error lists the known analysts.
fn analyst(connected: &Connection, name: &str) -> Result<Part, Failure> {
    let accounts = connected.served.given().accounts;
    let known: Vec<&str> = accounts
        .iter()
        .flat_map(|accounts| accounts.iter())
        .filter(|(_, account)| account.role == Role::Analyst)
        .map(|(name, _)| name)
        .collect();
    if known.contains(&name) {
        return Ok(Part::Named(name.to_owned()));
    }
    let message = if name.is_empty() {
        "deniable.analyst is not set".to_owned()
    } else {
        format!("there is no analyst \"{name}\"")
    };
    let known = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
    Err(Failure::new(Code::Setting, message).hint(format!("SET deniable.analyst = '...'; analysts: {known}")))
}

fn chosen(connected: &Connection, settings: &OwnSettings) -> Result<Part, Failure> {
    analyst(connected, settings.get("analyst").unwrap_or_default())
}

impl Approver {
    /// A session on this connection.
    pub fn new(connected: Connection) -> Self {
        Self(Arc::new(connected))
    }
}

#[async_trait]
impl Session for Approver {
    fn check(&self) -> Result<(), Failure> {
        self.0.check_now()
    }

    async fn place(&self) -> Result<Place, Failure> {
        self.0.served.catalog_place(&self.0.user).await
    }

    fn description(&self) -> Description {
        description(&self.0.served.given().policy, &self.0.user)
    }

    async fn rows(&self, schema: &str, table: &str, settings: &OwnSettings) -> Result<Rows, Failure> {
        if schema != describe::OWN {
            return Ok(Rows::new());
        }
        let part = chosen(&self.0, settings)?;
        let _turn = self.0.served.quiet(&part).await?;
        let table = table.to_owned();
        blocking(&self.0.about_none(part)?, move |own| own.own_rows(&table)).await
    }

    fn query(&self, query: Query) -> Arc<dyn PreparedQuery> {
        Arc::new(ApproverQuery { connected: Arc::clone(&self.0), query, plan: Arc::default() })
    }

    async fn call(&self, name: &str, arguments: &[String], settings: &OwnSettings) -> Result<(), Failure> {
        let allowed = match name {
            "deniable.approve" => true,
            "deniable.reject" => false,
            _ => {
                let failure = Failure::new(Code::NotSupported, format!("there is no procedure {name}"));
                return Err(failure.hint("there are deniable.approve and deniable.reject"));
            }
        };
        let usage = || {
            Failure::new(Code::Value, format!("{name} takes the number of a request, and optionally a reason"))
                .hint(format!("CALL {name}(1, 'as agreed'); deniable.requests has the numbers"))
        };
        let (number, reason) = match arguments {
            [number] => (number, ""),
            [number, reason] => (number, reason.as_str()),
            _ => return Err(usage()),
        };
        let number: usize = number.parse().map_err(|_| usage())?;
        let (part, reason) = (chosen(&self.0, settings)?, reason.to_owned());
        let _turn = self.0.served.quiet(&part).await?;
        blocking(&self.0.about_none(part)?, move |own| {
            let ledger = own.served.summary(&own.part, None)?;
            let requests = ledger.accounts.iter().find(|account| account.id == own.account());
            let at = requests.and_then(|account| account.requests.get(number.checked_sub(1)?)).map(|known| known.seq);
            let none =
                || Refusal::from(Failure::new(Code::Value, format!("there is no request {number} of this analyst")));
            own.served
                .decide(at.ok_or_else(none)?, allowed, &own.user, &reason)
                .map_err(|error| failures::of_decision(&error))
        })
        .await
    }

    fn own_settings(&self) -> &'static [(&'static str, &'static str)] {
        &SETTINGS
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        match name {
            "analyst" if value.is_empty() => Ok(String::new()),
            "analyst" => analyst(&self.0, value).map(|_| value.to_owned()),
            _ => setting(name, value),
        }
    }
}

#[async_trait]
impl PreparedQuery for ApproverQuery {
    fn query(&self) -> &Query {
        &self.query
    }

    async fn columns(&self) -> Result<Vec<Column>, Failure> {
        blocking(&self.ask(self.own())?, Request::columns).await
    }

    async fn answer(&self, _: &Submission) -> Result<Reply, Failure> {
        if !self.query.simulated {
            let failure = Failure::new(Code::NotAllowed, "an approver gets no answers");
            return Err(failure.hint("EXPLAIN shows the cost of a query, and simulated tables the form of its answer"));
        }
        let turn = self.connected.served.turn(&format!("{SIMULATED} {}", self.connected.user)).await?;
        blocking(&self.ask(self.own())?, move |own| {
            let _turn = turn;
            own.simulated()
        })
        .await
    }

    async fn explain(&self) -> Result<Reply, Failure> {
        let part = chosen(&self.connected, &self.query.settings)?;
        let _turn = self.connected.served.quiet(&part).await?;
        blocking(&self.ask(part)?, Request::explained).await
    }
}
