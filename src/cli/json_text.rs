//! JSON that is kept and handed on as text: whoever does not look into it need not take it apart.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A JSON value as its text, without line breaks when it was made here.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct JsonText(Box<RawValue>);

impl JsonText {
    /// The text of a value.
    ///
    /// # Errors
    /// If the value is none that JSON has: a map with keys that are no text.
    pub(super) fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The value, if it is of this type.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }
}

impl Default for JsonText {
    /// An empty list.
    fn default() -> Self {
        Self::of(&[(); 0]).unwrap_or_else(|_| Self(RawValue::NULL.to_owned()))
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get())
    }
}
