//! A cache that machines share, through `opendal`: S3, Redis, HTTP (to read from), a file system.
//!
//! It holds the same files as a cache on disk, under the same names. It may be slow, full, gone or wrong: its first failure of a run is kept
//! for one warning and ends its use in the run, and what it gives is checked against hashes by the store. Akari has it only when built
//! with the feature `remote-cache`, and uses it only when asked to.

/// A place as it may be told: credentials may stand in front of the host or after `?`.
fn told(place: &str) -> String {
    let (place, _) = place.split_once('?').unwrap_or((place, ""));
    match place.split_once("://") {
        Some((scheme, rest)) => {
            let host_ends = rest.find('/').unwrap_or(rest.len());
            let host_begins = rest[..host_ends].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host_begins..])
        }
        None => place.to_owned(),
    }
}

#[cfg(feature = "remote-cache")]
pub(in crate::cli) use open::Remote;

#[cfg(not(feature = "remote-cache"))]
pub(in crate::cli) use absent::Remote;

#[cfg(feature = "remote-cache")]
mod open {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use opendal::layers::{RetryLayer, TimeoutLayer};
    use opendal::{Error, ErrorKind, Operator, blocking};
    use tokio::runtime::{Builder, Runtime};

    /// How long an operation may take in all. Compiling again is seldom slower than this.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// A remote cache.
    #[derive(Debug)]
    pub(in crate::cli) struct Remote {
        operator: blocking::Operator,
        /// Whether it can be written.
        writable: bool,
        failed: AtomicBool,
        failure: Mutex<Option<String>>,
        // What runs the operations; it goes last.
        _runtime: Runtime,
    }

    impl Remote {
        /// Opens the cache at a place such as `s3://bucket/folder?region=eu-north-1`, `redis://host:6379`, `https://host/folder`,
        /// `file:///folder`. Credentials come from where the service is used to find them. Nothing is sent yet.
        ///
        /// # Errors
        /// What is wrong with the place.
        pub(in crate::cli) fn open(place: &str) -> Result<Self, String> {
            let fault = |error: &dyn std::fmt::Display| {
                format!("cannot use the remote cache `{}`: {error}", super::told(place))
            };
            // A provider that is there already does as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
            opendal::init_default_registry();
            opendal_http_transport_reqwest::install_default();
            let runtime =
                Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| fault(&error))?;
            let operator = {
                let _inside = runtime.enter();
                let operator = Operator::from_uri(place).map_err(|error| fault(&error))?;
                let operator = operator
                    .layer(TimeoutLayer::new().with_timeout(PATIENCE).with_io_timeout(PATIENCE))
                    .layer(RetryLayer::new().with_max_times(1).with_max_delay(Duration::from_secs(1)));
                blocking::Operator::new(operator).map_err(|error| fault(&error))?
            };
            let writable = operator.info().capability().write;
            Ok(Self {
                operator,
                writable,
                failed: AtomicBool::new(false),
                failure: Mutex::new(None),
                _runtime: runtime,
            })
        }

        /// The first failure of the run.
        pub(in crate::cli) fn failure(&self) -> Option<String> {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
        }

        fn fail(&self, error: &Error) {
            if !self.failed.swap(true, Ordering::Relaxed) {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            }
        }

        /// The bytes of a file, unchecked, if there is one that is no longer than this.
        pub(in crate::cli::cache) fn read(&self, path: &str, longest: u64) -> Option<Vec<u8>> {
            if self.failed.load(Ordering::Relaxed) {
                return None;
            }
            let read = self.operator.stat(path).and_then(|metadata| {
                let fits = metadata.content_length() <= longest;
                fits.then(|| self.operator.read(path)).transpose()
            });
            match read {
                Ok(bytes) => bytes.map(|bytes| bytes.to_vec()),
                Err(error) => {
                    if error.kind() != ErrorKind::NotFound {
                        self.fail(&error);
                    }
                    None
                }
            }
        }

        /// Writes files, in this order.
        pub(in crate::cli::cache) fn write<'f>(&self, files: impl Iterator<Item = (&'f str, &'f [u8])>) {
            for (path, bytes) in files {
                if !self.writable || self.failed.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(error) = self.operator.write(path, bytes.to_vec()) {
                    self.fail(&error);
                }
            }
        }
    }
}

#[cfg(not(feature = "remote-cache"))]
mod absent {
    /// A remote cache, of which there is none in this build.
    #[derive(Debug)]
    pub(in crate::cli) enum Remote {}

    impl Remote {
        /// Says that there is none.
        ///
        /// # Errors
        /// Always.
        pub(in crate::cli) fn open(place: &str) -> Result<Self, String> {
            Err(format!(
                "cannot use the remote cache `{}`: this akari was built without the feature `remote-cache`",
                super::told(place)
            ))
        }

        pub(in crate::cli) fn failure(&self) -> Option<String> {
            match *self {}
        }

        pub(in crate::cli::cache) fn read(&self, _: &str, _: u64) -> Option<Vec<u8>> {
            match *self {}
        }

        pub(in crate::cli::cache) fn write<'f>(&self, _: impl Iterator<Item = (&'f str, &'f [u8])>) {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn credentials_are_not_told() {
        assert_eq!(told("redis://host:6379/akari?password=hush"), "redis://host:6379/akari");
        assert_eq!(told("https://user:p@ss@host/folder@2"), "https://host/folder@2");
        assert_eq!(told("s3://bucket"), "s3://bucket");
        assert_eq!(told("nonsense"), "nonsense");
    }
}
