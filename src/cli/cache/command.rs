//! `akari cache`: looks at a cache and makes it smaller.

use super::super::flags::{Cache, CacheAction};
use super::super::{Failure, complain, to_stdout};
use super::evict::Stats;
use super::store::Store;

/// Runs the command.
pub(in crate::cli) fn run(flags: &Cache) -> Result<(), Failure> {
    let (CacheAction::Stats { cache } | CacheAction::Clear { cache } | CacheAction::Trim { cache, .. }) = &flags.action;
    let fail = |error: &dyn std::fmt::Display| {
        complain(error);
        Failure::Input
    };
    if !cache.join("v1").exists() {
        return Err(fail(&format_args!("{} is no cache: it has no folder `v1`", cache.display())));
    }
    let store = Store::open(cache, None, None).map_err(|fault| fail(&fault))?;
    let before = store.stats();
    let outcome = match &flags.action {
        CacheAction::Stats { .. } => {
            return to_stdout(text(&before).as_bytes());
        }
        CacheAction::Clear { .. } => store.clear(),
        CacheAction::Trim { limit, .. } => store.trim(*limit),
    };
    outcome.map_err(|error| fail(&format_args!("cannot remove what is in the cache {}: {error}", cache.display())))?;
    let after = store.stats();
    let freed = before.bytes.saturating_sub(after.bytes);
    to_stdout(format!("removed {freed} bytes; now {}", text(&after)).as_bytes())
}

fn text(stats: &Stats) -> String {
    format!("{} entries, {} blobs, {} bytes\n", stats.entries, stats.blobs, stats.bytes)
}
