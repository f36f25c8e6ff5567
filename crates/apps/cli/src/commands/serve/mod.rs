//! `deniable serve`: a server of the PostgreSQL wire protocol for one policy.

mod checks;

use crate::args::serve::Serve as Args;
use crate::console::say;
use crate::error::Failure;
use crate::policies::{absolute, load};
use crate::progress::Progress;
use checks::Checks;
use deniable::Session;
use deniable_serve::{Config, LogFilter, ServeError, ServerSetup, check, serve};
use std::path::Path;
use std::sync::Arc;

/// Name of the default configuration file, beside the policy.
const CONFIG: &str = "serve.toml";

/// Reads the stated configuration, or the one beside the policy; `None` if there is neither.
pub fn config(stated: Option<&Path>, policy: &Path) -> Result<Option<Config>, Failure> {
    let beside = policy.with_file_name(CONFIG);
    let path = match stated {
        Some(path) => path,
        None if beside.exists() => &beside,
        None => return Ok(None),
    };
    let config = Config::read(&absolute(path));
    config.map(Some).map_err(|error| Failure::refused(error, "docs/how-to/serve.md lists every setting"))
}

fn names(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// Runs the server until a signal stops it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let policy = load(&args.place)?;
    let mut config = config(args.config.as_deref(), &args.place.policy)?.unwrap_or_else(Config::trying);
    config.listen = args.listen.unwrap_or(config.listen);
    let stated_log = args.log.as_deref().map(str::parse::<LogFilter>).transpose();
    let stated_log = stated_log.map_err(|wrong| {
        Failure::usage(
            wrong,
            "write --log warn, or --log warn,queries=info; docs/how-to/serve.md lists the events of each target",
        )
    })?;
    config.log = stated_log.clone().unwrap_or(config.log);
    let is_open = config.accounts.is_none();
    if is_open && !config.listen.ip().is_loopback() {
        let help = "create a serve.toml beside the policy, and add accounts with `deniable account add`";
        return Err(Failure::refused("without accounts, the server listens on loopback addresses only", help));
    }
    let refused = |error: ServeError| match &error {
        ServeError::Nobody(_) | ServeError::NoFile(_) => {
            Failure::refused(&error, "add an account: deniable account add policy.toml ana --share 1/4")
        }
        ServeError::Listen { address, .. }
            if Some(*address) == config.metrics.as_ref().map(|metrics| metrics.listen) =>
        {
            Failure::refused(&error, "name another port under [metrics]")
        }
        ServeError::Listen { .. } => Failure::refused(
            &error,
            "choose another port; --listen 127.0.0.1:0 takes a free \
        port",
        ),
        ServeError::Approval(_) => Failure::refused(
            &error,
            "add an approver: deniable account add policy.toml eve --role approver; deniable account list lists all \
            accounts",
        ),
        _ => Failure::refused(&error, ""),
    };
    check(&policy, &config).map_err(refused)?;
    // Data are served only after they were scanned and registered.
    let progress = Arc::new(Progress::new());
    let checks = Checks(config.check_log.clone());
    let session = Session::new(policy.clone())?.with_resources(config.resources());
    let session = session.telling(checks.teller(progress.clone()));
    let registered = session.accepting_losses(&names(&args.accept_loss)).register(&names(&args.accept)).wait();
    progress.done();
    registered.map_err(|error| checks.refused(error))?;
    let place = crate::args::policy::PolicyPlace {
        policy: args.place.policy.clone(),
        data: args.place.data.clone(),
        ledger: args.place.ledger.clone(),
    };
    let (stated, listen) = (args.config.clone(), config.listen);
    let (accepted, losses) = (args.accept.clone(), args.accept_loss.clone());
    let reload = move || {
        let anew = || {
            let policy = load(&place)?;
            let config = self::config(stated.as_deref(), &place.policy)?.unwrap_or_else(Config::trying);
            // A reloaded policy's data are served only after they were scanned and registered.
            let (checks, progress) = (Checks(config.check_log.clone()), Arc::new(Progress::new()));
            let session = Session::new(policy.clone())?.with_resources(config.resources());
            let session = session.telling(checks.teller(progress.clone())).accepting_losses(&names(&losses));
            let registered = session.register(&names(&accepted)).wait();
            progress.done();
            registered.map_err(|error| checks.refused(error))?;
            let log = stated_log.clone().unwrap_or_else(|| config.log.clone());
            Ok((policy, Config { listen, log, ..config }))
        };
        anew().map_err(|failure: Failure| failure.in_words())
    };
    let name = policy.name().to_owned();
    let ready = move |address: std::net::SocketAddr| {
        let (host, port) = (address.ip(), address.port());
        say(format!("listening: psql -h {host} -p {port} {name}"));
        if is_open {
            say(
                "every client on this machine connects as the curator; docs/how-to/serve.md describes how to give analysts \
                accounts",
            );
        }
    };
    let serving = ServerSetup { policy, config: config.clone(), reload: Box::new(reload), ready: Box::new(ready) };
    serve(serving).map_err(refused)
}
