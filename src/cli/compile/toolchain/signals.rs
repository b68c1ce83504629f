//! What is done with signals, and when a library crashes or ends this process: this process starts itself again, or says last words.
//!
//! What runs after a crash calls only what POSIX lists as async-signal-safe (`write`, `execv`, `sigaction`, `raise`, `_exit`), on memory that was
//! prepared before.

#![allow(unsafe_code, reason = "the C library's functions for signals")]

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;
use std::{env, mem, ptr};

/// The signals of a crash, and what they are called.
pub(super) const CRASHES: [(c_int, &str); 7] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGSYS, "SIGSYS"),
];

/// Whether a signal does nothing to this process.
pub(super) fn is_ignored(signal: c_int) -> bool {
    // SAFETY: zeros are a `sigaction`; without a new action only the old one is written.
    let (status, old) = unsafe {
        let mut old: libc::sigaction = mem::zeroed();
        (libc::sigaction(signal, ptr::null(), &raw mut old), old)
    };
    status == 0 && old.sa_sigaction == libc::SIG_IGN
}

/// What is done should a call end this process.
pub(super) struct LastWords {
    /// How this process starts itself again, if it is to.
    again: Option<Again>,
    /// What is said of that.
    notice: Vec<u8>,
    /// What is said where it does not.
    words: Vec<u8>,
}

/// The command of this process with one more argument, which is patched.
struct Again {
    program: CString,
    /// What `pointers` point to.
    _arguments: Vec<CString>,
    /// The argument more, with its end, and where in it the cause stands.
    more: Box<[u8]>,
    cause: usize,
    /// Ends with a null pointer.
    pointers: Vec<*const c_char>,
}

/// How long a cause is: a signal is written as its number.
pub(super) const CAUSE: usize = 3;
/// The process was ended without a signal.
pub(super) const EXIT: [u8; CAUSE] = *b"end";
/// A call took too long.
pub(super) const TOO_LONG: [u8; CAUSE] = *b"lim";

impl LastWords {
    /// These words, and the end.
    pub(super) fn new(words: String) -> Self {
        Self { again: None, notice: Vec::new(), words: words.into_bytes() }
    }

    /// This process once more, with an argument of `before`, the cause and `after`, and with those of before that it was given or `alone`. The words
    /// are for when that cannot be.
    pub(super) fn again(before: &str, after: &str, alone: bool, notice: String, words: String) -> Self {
        Self { again: Again::new(before, after, alone).ok(), notice: notice.into_bytes(), words: words.into_bytes() }
    }
}

impl Again {
    fn new(before: &str, after: &str, alone: bool) -> io::Result<Self> {
        let program = CString::new(env::current_exe()?.into_os_string().into_vec())?;
        let arguments = env::args_os()
            .map(OsStringExt::into_vec)
            .filter(|argument| !(alone && argument.starts_with(before.as_bytes())));
        let arguments: Vec<CString> = arguments.map(CString::new).collect::<Result<_, _>>()?;
        let more = CString::new([before, "???", after].concat())?.into_bytes_with_nul().into_boxed_slice();
        let mut pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        // Behind the names of the program and of its command.
        pointers.insert(pointers.len().min(2), more.as_ptr().cast());
        pointers.push(ptr::null());
        Ok(Self { program, _arguments: arguments, more, cause: before.len(), pointers })
    }
}

thread_local! {
    /// What is done should the call end this process that this thread is in; null outside of such. It has no destructor and no first use, so that
    /// a handler may read it.
    static CURRENT: Cell<*mut LastWords> = const { Cell::new(ptr::null_mut()) };
}

/// Makes a call that may end this process.
pub(super) fn guarded<T>(mut last: LastWords, call: impl FnOnce() -> T) -> T {
    struct Back(*mut LastWords);
    impl Drop for Back {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _back = Back(CURRENT.replace(&raw mut last));
    call()
}

/// Starts this process again now; comes back only where it cannot.
pub(super) fn start_again(mut last: LastWords, cause: [u8; CAUSE]) {
    // SAFETY: nobody else has it.
    unsafe { carry_out(&raw mut last, cause) }
}

/// Ends this process at once.
pub(super) fn end() -> ! {
    // SAFETY: it has no conditions.
    unsafe { libc::_exit(1) }
}

/// # Safety
/// `last` is live, and used by nobody else.
unsafe fn carry_out(last: *mut LastWords, cause: [u8; CAUSE]) {
    // SAFETY: as the caller says. The pointers of `again` are to what it owns, and end with a null.
    unsafe {
        let last = &mut *last;
        if let Some(again) = &mut last.again {
            say(&last.notice);
            again.more[again.cause..again.cause + CAUSE].copy_from_slice(&cause);
            libc::execv(again.program.as_ptr(), again.pointers.as_ptr());
        }
        say(&last.words);
    }
}

/// Writes to standard error without its lock, which a thread that crashed may hold.
fn say(mut words: &[u8]) {
    while !words.is_empty() {
        // SAFETY: the pointer and the length are those of a slice.
        let written = unsafe { libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => words = &words[written.min(words.len())..],
            _ => return,
        }
    }
}

/// What was done at the signals of a crash before.
static BEFORE: OnceLock<Vec<(c_int, libc::sigaction)>> = OnceLock::new();

/// Has crashes and exits in guarded calls dealt with, from now on. A library that is loaded later gets to know of an exit before this does:
/// call it once more then.
pub(super) fn watch() {
    BEFORE.get_or_init(|| CRASHES.iter().filter_map(|(signal, _)| Some((*signal, replace(*signal)?))).collect());
    // SAFETY: `at_exit` is a function of this program. That there is no room for it leaves things as they are.
    unsafe { libc::atexit(at_exit) };
}

fn replace(signal: c_int) -> Option<libc::sigaction> {
    // SAFETY: zeros are a `sigaction` and a set of signals; `at_crash` is a function of this program with the signature that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = at_crash as *const () as usize;
        // On the stack that the standard library keeps for that, since the ordinary one may be full; and without masking the signal, since
        // masks outlast `execv`.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        let mut old: libc::sigaction = mem::zeroed();
        (libc::sigaction(signal, &raw const action, &raw mut old) == 0).then_some(old)
    }
}

extern "C" fn at_crash(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let last = CURRENT.replace(ptr::null_mut());
    // SAFETY: what `CURRENT` points to outlives the call that this interrupts; `info` is what the system gives to such a handler.
    unsafe {
        if !last.is_null() {
            let [number, ..] = signal.to_le_bytes();
            carry_out(last, [number / 100, number / 10 % 10, number % 10].map(|digit| b'0' + digit));
        }
        // As if this had not been here.
        let old = BEFORE.get().and_then(|before| before.iter().find(|(of, _)| *of == signal));
        match old {
            Some((_, old)) if last.is_null() => libc::sigaction(signal, old, ptr::null_mut()),
            _ => libc::sigaction(signal, &mem::zeroed(), ptr::null_mut()),
        };
        // A number above 0 is of a fault of the processor: the instruction is run again, and faults again. But a trap is behind its
        // instruction, and a call to the system that was refused is over.
        let faults_again = !info.is_null() && (*info).si_code > 0 && !matches!(signal, libc::SIGTRAP | libc::SIGSYS);
        if !faults_again {
            libc::raise(signal);
        }
    }
}

extern "C" fn at_exit() {
    let last = CURRENT.replace(ptr::null_mut());
    if !last.is_null() {
        // SAFETY: what `CURRENT` points to outlives the call in which `exit` was called.
        unsafe { carry_out(last, EXIT) };
        end();
    }
}
