//! The cache: named results on disk that many processes share, of which nothing damaged is ever given out.
//!
//! The store knows nothing of shaders. An *entry* has a key and is an inventory: a value of the writer, and members by name, size and
//! BLAKE3 hash. The bytes of members are *blobs*, named by their hash, so that equal ones are kept once. In the folder:
//!
//! ```text
//! CACHEDIR.TAG          tells backup programs to leave the folder out
//! v1/entries/ab/<key>   an inventory, with its own hash in the first line
//! v1/blobs/ab/<hash>    what members contain
//! v1/temporary/         files that are being written
//! v1/written            how much was written since the cache was last measured
//! v1/lock               held while the cache is trimmed
//! v1/users              held, shared, by all that use the cache
//! ```
//!
//! Every file is written under a name of its own and renamed into place, and every file is checked against a hash when it is read. So
//! processes need no lock among them, a killed one leaves at worst a temporary file, which the next one removes that is alone, and whatever
//! happens to a file makes it a miss.

mod command;
mod evict;
mod identity;
mod inventory;
mod key;
mod remote;
mod store;
#[cfg(test)]
mod tests;

pub(in crate::cli) use command::run;
pub(in crate::cli) use evict::parse_size;
pub(in crate::cli) use identity::file_hash;
pub(in crate::cli) use inventory::{Inventory, Member, decode, encode};
pub(in crate::cli) use key::{Key, KeyBuilder};
pub(in crate::cli) use remote::Remote;
pub(in crate::cli) use store::{Fault, Store};
