//! The parent's side: starts the child, bounds its time, and starts it anew after a crash.

use std::fmt;
use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Module;
use super::serve::ARGUMENT;
use super::wire::{Reply, Request, receive, send};
use crate::job::{Job, Outcome};
use crate::tools;

/// How long one job may take; generous, since the machine may be busy and the first job also starts the device.
const LIMIT: Duration = Duration::from_secs(60);

/// Why a job gave no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The job was refused, or the validation layer complained.
    Failed(String),
    /// The process that held the device died; with what it wrote to its standard error.
    Crashed(String),
    /// The job took longer than this and was stopped.
    TimedOut(Duration),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => f.write_str(message),
            Self::Crashed(message) => write!(f, "the Vulkan process crashed: {message}"),
            Self::TimedOut(limit) => write!(f, "the shader was still running after {} s", limit.as_secs()),
        }
    }
}

impl std::error::Error for RunError {}

/// A Vulkan device in a process of its own. Serves one thread; threads that run jobs at the same time have one each.
#[derive(Debug)]
pub struct VulkanRunner {
    child: Option<Running>,
    limit: Duration,
}

impl Default for VulkanRunner {
    fn default() -> Self {
        Self::new()
    }
}

impl VulkanRunner {
    /// A runner whose process starts with the first job.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// As [`Self::new`], with another limit on the time of one job.
    #[must_use]
    pub const fn with_limit(limit: Duration) -> Self {
        Self { child: None, limit }
    }

    /// Runs `job` with the code of its stages.
    ///
    /// # Errors
    /// When a tool is missing, Vulkan refuses something, the validation layer complains, or the shader crashes or hangs.
    pub fn run(&mut self, modules: &[Module], job: &Job) -> Result<Outcome, RunError> {
        let running = match &mut self.child {
            Some(running) => running,
            vacant @ None => vacant.insert(Running::start().map_err(RunError::Failed)?),
        };
        let request = Request { modules: modules.to_vec(), job: job.clone() };
        // A child that died shows as no reply, so what goes wrong while sending needs no care of its own.
        let _ = send(&mut running.input, &request);
        match running.replies.recv_timeout(self.limit) {
            Ok(reply) => reply.map_err(RunError::Failed),
            Err(problem) => {
                let (status, messages) = self.child.take().map_or((None, String::new()), Running::stop);
                Err(match problem {
                    RecvTimeoutError::Timeout => RunError::TimedOut(self.limit),
                    RecvTimeoutError::Disconnected => {
                        let status = status.map_or_else(|| "no exit status".to_owned(), |status| status.to_string());
                        RunError::Crashed(format!("{status}\n{messages}"))
                    }
                })
            }
        }
    }
}

impl Drop for VulkanRunner {
    fn drop(&mut self) {
        if let Some(running) = self.child.take() {
            running.stop();
        }
    }
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    replies: Receiver<Reply>,
    messages: thread::JoinHandle<String>,
}

impl Running {
    fn start() -> Result<Self, String> {
        let driver = tools::vulkan_driver_manifest().map_err(|error| error.to_string())?;
        tools::validation_layer_manifest().map_err(|error| error.to_string())?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(&program)
            .arg(ARGUMENT)
            .env("VK_DRIVER_FILES", &driver)
            .env("VK_ICD_FILENAMES", &driver)
            .env("VK_LOADER_LAYERS_DISABLE", "~implicit~")
            .env("VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "4000000000") // the same complaint about a later job must not be swallowed
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start `{}`: {error}", program.display()))?;
        let (Some(input), Some(output), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("a child process without its pipes".into());
        };
        let (sender, replies) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(reply)) = receive::<Reply>(&mut output) {
                if sender.send(reply).is_err() {
                    break;
                }
            }
        });
        let messages = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = errors.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Ok(Self { child, input, replies, messages })
    }

    /// Ends the process; gives its exit status and what it wrote to its standard error.
    fn stop(mut self) -> (Option<ExitStatus>, String) {
        drop(self.input);
        // A process that crashed has its own status by now; one that hangs gets that of the signal.
        let status = self.child.try_wait().ok().flatten().or_else(|| {
            let _ = self.child.kill();
            self.child.wait().ok()
        });
        (status, self.messages.join().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Work;

    /// A unit test's program does not serve: the child ends at once, which is what a crash looks like.
    #[test]
    fn a_crash_is_an_error_of_its_own() {
        let work = Work::Compute { entry: "main".into(), groups: [1; 3], threads: [1; 3] };
        let job = Job { work, resources: Vec::new(), samplers: Vec::new() };
        let mut runner = VulkanRunner::new();
        for _ in 0..2 {
            let error = runner.run(&[], &job).expect_err("nobody answers");
            assert!(
                matches!(&error, RunError::Crashed(message) if message.contains("akari-vulkan-runner")),
                "{error:?}"
            );
        }
    }
}
