//! What the runner and its child say to each other: one request, one reply, each a little-endian length in four bytes and then postcard.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Module;
use crate::job::{Job, Outcome};

/// A job with its code. What is listed as a module but not started by the job is ignored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) modules: Vec<Module>,
    pub(super) job: Job,
}

/// What became of it; the error is for a person to read.
pub(super) type Reply = Result<Outcome, String>;

/// Sends one message.
pub(super) fn send<T: Serialize>(output: &mut impl Write, message: &T) -> io::Result<()> {
    let body = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(&body)?;
    output.flush()
}

/// Receives one message; `None` at the end of the input.
pub(super) fn receive<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut body)?;
    postcard::from_bytes(&body).map(Some).map_err(io::Error::other)
}
