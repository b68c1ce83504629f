//! Runs of outside programs, in bounds: of time, and of how much of what they say is kept. None outlives this process, whatever signal from
//! outside ends it, or leaves a process of its own behind.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Trouble, group};

/// How much of what a program says is kept, of each of its two streams. The rest is read and forgotten.
const KEPT: usize = 1 << 20;
/// How long one that was killed, or a stream of one that ended, is waited for. A process that left its group may hold a stream for ever.
const GRACE: Duration = Duration::from_secs(1);
/// How often a program whose streams are open is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// A run that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// How it ended.
    pub(super) status: ExitStatus,
    /// What it wrote to standard output, then what it wrote to standard error.
    pub(super) said: String,
}

impl Ran {
    /// How it ended, with its first words.
    pub(super) fn end_of(&self, program: &str) -> String {
        let Self { status, said } = self;
        match in_short(said) {
            nothing if nothing.is_empty() => format!("{program} ended with {status} and said nothing"),
            words => format!("{program} ended with {status}: {words}"),
        }
    }

    /// Why nothing came of a run that ended without success.
    pub(super) fn trouble(&self, program: &str) -> Trouble {
        match self.status.code() {
            Some(_) if !self.said.trim().is_empty() => Trouble::Refused(self.said.trim_end().to_owned()),
            _ => Trouble::Failed(self.end_of(program)),
        }
    }
}

/// A run that did not.
#[derive(Debug)]
pub(super) enum Fault {
    /// It could not be started or watched.
    Unusable(io::Error),
    /// It took longer than this, and was killed.
    TooLong(Duration),
}

impl Fault {
    /// As what is wrong with a run.
    pub(super) fn trouble(&self, program: &str) -> Trouble {
        match self {
            Self::Unusable(_) => Trouble::Unusable(self.of(program)),
            Self::TooLong(_) => Trouble::Failed(self.of(program)),
        }
    }

    /// Of which program.
    pub(super) fn of(&self, program: &str) -> String {
        match self {
            Self::Unusable(error) => format!("cannot run {program}: {error}"),
            Self::TooLong(limit) => {
                format!("{program} took longer than {} s (`--tool-time-limit`), and was ended", limit.as_secs_f64())
            }
        }
    }
}

/// Runs a program without input. Its processes are killed at the limit, and those that it leaves behind when it ends. `folder` is removed should
/// a signal end this process meanwhile.
pub(super) fn run(command: &mut Command, limit: Duration, folder: Option<&Path>) -> Result<Ran, Fault> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = group::start(command, folder).map_err(Fault::Unusable)?;
    let (sender, closed) = mpsc::channel();
    let output = child.stdout.take().map(|stream| drain(stream, sender.clone())).transpose();
    let error = child.stderr.take().map(|stream| drain(stream, sender)).transpose();
    let streams = output.and_then(|output| Ok([output, error?]));
    let in_time = streams.is_err() || ended_by(&mut child, deadline, &closed);
    // What it started and left goes with it, before its number may be another's.
    let status = group::end(&mut child, GRACE);
    let streams = streams.map_err(Fault::Unusable)?;
    if !in_time {
        return Err(Fault::TooLong(limit));
    }
    let until = Instant::now() + GRACE;
    while let Some(left) = until.checked_duration_since(Instant::now())
        && closed.recv_timeout(left).is_ok()
    {}
    let said = streams.iter().flatten().map(|kept| lock(kept).text()).collect();
    Ok(Ran { status: status.map_err(Fault::Unusable)?, said })
}

/// Waits until a program has ended; whether it did in time. One that closes its streams is about to.
fn ended_by(child: &mut Child, deadline: Instant, closed: &Receiver<()>) -> bool {
    let mut pause = Duration::from_micros(100);
    loop {
        if group::has_ended(child) {
            return true;
        }
        let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
        match closed.recv_timeout(LOOK.min(left)) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(pause.min(left));
                pause = (pause * 2).min(LOOK);
            }
        }
    }
}

/// What a stream said.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    more: u64,
}

impl Kept {
    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.more > 0 {
            text.push_str(&format!("\n(and {} bytes more)\n", self.more));
        }
        text
    }
}

/// Reads a stream to its end in a thread of its own, which ends with it; says when that is.
fn drain(mut stream: impl Read + Send + 'static, closed: Sender<()>) -> io::Result<Arc<Mutex<Kept>>> {
    let kept = Arc::new(Mutex::new(Kept::default()));
    let shared = Arc::clone(&kept);
    thread::Builder::new().spawn(move || {
        let mut buffer = [0; 1 << 14];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let mut kept = lock(&shared);
                    let room = count.min(KEPT - kept.bytes.len());
                    kept.bytes.extend_from_slice(&buffer[..room]);
                    kept.more += (count - room) as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Nobody listens where it was given up.
        let _ = closed.send(());
    })?;
    Ok(kept)
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many lines of a program's words stand in one message.
const LINES: usize = 4;
/// How many characters of a line.
const LINE: usize = 400;

/// A program's words in a message: the first lines.
pub(super) fn in_short(said: &str) -> String {
    let mut lines = said.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let mut text = lines.by_ref().take(LINES).map(|line| shortened(line, LINE)).collect::<Vec<_>>().join("; ");
    match lines.count() {
        0 => {}
        1 => text.push_str("; and 1 more line"),
        more => text.push_str(&format!("; and {more} more lines")),
    }
    text
}

/// The beginning of a line that may be long.
pub(super) fn shortened(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str, limit: Duration) -> Result<Ran, Fault> {
        run(Command::new("sh").args(["-c", script]), limit, None)
    }

    #[test]
    fn both_streams_and_the_status_are_told() {
        let ran = shell("echo out; echo err >&2; exit 3", LONG).expect("it runs");
        assert_eq!((ran.status.code(), ran.said.as_str()), (Some(3), "out\nerr\n"));
    }

    #[test]
    fn one_that_cannot_be_started_is_a_fault() {
        let fault = run(&mut Command::new("/nowhere/tool"), LONG, None).expect_err("there is none");
        assert!(fault.of("tool").starts_with("cannot run tool: No such file"), "{}", fault.of("tool"));
    }

    #[test]
    fn more_than_is_kept_is_read_and_forgotten() {
        let ran = shell("head -c 5000000 /dev/zero | tr '\\0' x; echo err >&2", LONG).expect("it runs");
        assert!(ran.said.starts_with("xxx") && ran.said.len() < KEPT + 100, "{}", ran.said.len());
        assert!(
            ran.said.ends_with(&format!("x\n(and {} bytes more)\nerr\n", 5_000_000 - KEPT)),
            "{}",
            &ran.said[KEPT..]
        );
    }

    /// Whether a process is there that is not waiting to be forgotten.
    fn lives(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|state| state.trim_start().starts_with('Z')))
    }

    /// Waits for what a signal does.
    fn is_gone(pid: &str) -> bool {
        (0..100).any(|_| {
            !lives(pid) || {
                thread::sleep(Duration::from_millis(20));
                false
            }
        })
    }

    #[test]
    fn what_takes_too_long_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pids");
        let script = format!("sleep 300 & echo $! $$ > {}; while true; do sleep 1; done", file.display());
        let began = Instant::now();
        let fault = shell(&script, Duration::from_secs(3)).expect_err("it never ends");
        assert!(fault.of("sh").starts_with("sh took longer than 3 s"), "{}", fault.of("sh"));
        assert!(began.elapsed() < Duration::from_secs(100));
        let pids = std::fs::read_to_string(file).expect("a file");
        assert!(pids.split_whitespace().count() == 2 && pids.split_whitespace().all(is_gone), "{pids}");
    }

    #[test]
    fn a_process_that_is_left_behind_holds_nothing_up() {
        let began = Instant::now();
        let ran = shell("sleep 300 & echo $!", LONG).expect("it ends");
        assert!(ran.status.success() && is_gone(&ran.said), "{}", ran.said);
        // One in a session of its own is not of its group: it keeps the streams, and is left alone.
        let ran = shell("setsid sleep 300 & echo $!", LONG).expect("it ends");
        assert!(ran.status.success() && lives(&ran.said), "{}", ran.said);
        assert!(began.elapsed() < Duration::from_secs(100));
        assert!(shell(&format!("kill {}", ran.said.trim()), LONG).expect("it ends").status.success());
    }

    #[test]
    fn words_are_cut_short() {
        assert_eq!(in_short(" \n\n"), "");
        assert_eq!(in_short("one\n\ntwo\n"), "one; two");
        let many: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        assert!(in_short(&many).ends_with("; line 3; and 4996 more lines"), "{}", in_short(&many));
        assert_eq!(in_short(&"ä".repeat(1000)).chars().count(), LINE + 1);
    }
}
