//! Inventories: what an entry says of its members, and its form on disk.
//!
//! The first line names the form and the BLAKE3 hash of the rest, which is JSON: the key, the value, the members. The hash shows
//! damage, the key shows that a file stands under another's name.

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::cli::json_text::JsonText;

/// What an entry holds.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Inventory {
    /// Whatever the writer wants to know of it.
    pub(in crate::cli) value: JsonText,
    /// Its members, in the writer's order.
    pub(in crate::cli) members: Vec<Member>,
}

/// A member of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Member {
    /// Its name in the entry.
    pub(in crate::cli) name: String,
    /// Its length in bytes.
    pub(in crate::cli) size: u64,
    /// The BLAKE3 hash of its bytes.
    pub(in crate::cli) hash: Hash,
}

impl Member {
    /// The member of this name with these bytes.
    pub(in crate::cli) fn of(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self { name: name.into(), size: bytes.len() as u64, hash: blake3::hash(bytes) }
    }
}

/// An inventory as JSON.
#[derive(Serialize, Deserialize)]
struct Form {
    key: String,
    value: JsonText,
    members: Vec<(String, u64, String)>,
}

const HEAD: &str = "akari cache 1 ";

/// The bytes of an inventory's file.
pub(in crate::cli) fn encode(key: &Key, inventory: &Inventory) -> Vec<u8> {
    let members = inventory.members.iter();
    let form = Form {
        key: key.to_string(),
        value: inventory.value.clone(),
        members: members.map(|member| (member.name.clone(), member.size, member.hash.to_hex().to_string())).collect(),
    };
    // Maps in a JSON value have text as keys, so that this always succeeds.
    let body = serde_json::to_vec(&form).unwrap_or_default();
    let mut bytes = format!("{HEAD}{}\n", blake3::hash(&body).to_hex()).into_bytes();
    bytes.extend(body);
    bytes
}

/// The inventory in a file's bytes: nothing if they are damaged, or of another key.
pub(in crate::cli) fn decode(key: &Key, bytes: &[u8]) -> Option<Inventory> {
    let (found, inventory) = decode_any(bytes)?;
    (found == key.to_string()).then_some(inventory)
}

/// The key and the inventory in a file's bytes: nothing if they are damaged.
pub(super) fn decode_any(bytes: &[u8]) -> Option<(String, Inventory)> {
    let rest = bytes.strip_prefix(HEAD.as_bytes())?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (hash, body) = (rest.get(..end)?, rest.get(end + 1..)?);
    if Hash::from_hex(hash).ok()? != blake3::hash(body) {
        return None;
    }
    let form: Form = serde_json::from_slice(body).ok()?;
    let members = form
        .members
        .into_iter()
        .map(|(name, size, hash)| Some(Member { name, size, hash: Hash::from_hex(hash).ok()? }));
    Some((form.key, Inventory { value: form.value, members: members.collect::<Option<_>>()? }))
}
