//! Builds that are killed at random moments, four at a time, on one cache and one output folder, while another process reads the output.
//!
//! Each build makes one of four versions of the same packages; which version a published file is of follows from its hash. `AKARI_KILLS`
//! says how many builds are killed, 200 by default, and `AKARI_KILL_SEED` which moments are drawn.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what was seen is told")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

const REPORT: &str = "shaders.akari.json";
const PROCESSES: u64 = 4;
const VERSIONS: usize = 4;
const PACKAGES: usize = 8;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if let [_, reader, folder] = arguments.as_slice()
        && reader == "--reader"
    {
        return match read_on(Path::new(folder)) {
            Ok(seen) => {
                println!("{seen}");
                ExitCode::SUCCESS
            }
            Err(violation) => {
                eprintln!("{violation}");
                ExitCode::FAILURE
            }
        };
    }
    let trial = Trial::test("builds are killed and nothing half built is seen", kill_builds);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

/// The packages of each version: the names of files with the hashes of their contents.
type Known = Vec<BTreeMap<String, BTreeMap<String, String>>>;

fn write_version(folder: &Path, version: usize) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut packages = Vec::new();
    // The last version is without the last package, and its first package has an entry more.
    for package in 0..PACKAGES - usize::from(version + 1 == VERSIONS) {
        let entry = |name: &str, value: usize| {
            format!(
                "@compute(threads = (8, 1, 1))\nfn {name}(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) \
                 {{ values[index] = {value}.0 + {version}.5; }}\n"
            )
        };
        let mut text = format!("#shader p{package}\n{}{}", entry("fill", package), entry("clear", 100 + package));
        if package == 0 && version + 1 == VERSIONS {
            text += &entry("more", 200);
        }
        fs::write(folder.join(format!("p{package}.akari")), text)?;
        packages.push(json!({ "name": format!("p{package}"), "sources": [format!("p{package}.akari")] }));
    }
    let spec = json!({ "version": 2, "type": "KhronosVulkan", "compilation": packages });
    fs::write(folder.join("s.json"), spec.to_string())
}

/// A build of a version.
fn build(folder: &Path, version: usize, out: &str, cache: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akari"));
    command.args([
        "compile",
        &format!("--spec=v{version}/s.json"),
        &format!("--out={out}"),
        &format!("--cache={cache}"),
        "-j",
        "2",
    ]);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn must(mut command: Command) -> Result<(), Failed> {
    let output = command.stderr(Stdio::piped()).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

/// Moments and choices, the same for the same seed.
struct Chance(u64);

impl Chance {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        // Steele, Lea and Flood: "Fast splittable pseudorandom number generators", 2014.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn kill_builds() -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let folder = place.path();
    let (wanted, seed) = (number("AKARI_KILLS", 200), number("AKARI_KILL_SEED", 1));
    let mut known = Known::new();
    let mut shortest = Duration::MAX;
    for version in 0..VERSIONS {
        write_version(&folder.join(format!("v{version}")), version)?;
        let (out, cache) = (format!("clean{version}"), format!("clean{version}.cache"));
        let began = Instant::now();
        must(build(folder, version, &out, &cache))?;
        // A machine that is busy elsewhere for a moment would have the builds wait to be killed.
        shortest = shortest.min(began.elapsed());
        known.push(rows(&folder.join(out))?);
    }
    fs::write(folder.join("known.json"), serde_json::to_string(&known)?)?;
    must(build(folder, 0, "out", "cache"))?;

    let mut reader = Command::new(env::current_exe()?);
    let reader = reader.arg("--reader").arg(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (killed, ended) = (AtomicU64::new(0), AtomicU64::new(0));
    let outcome = thread::scope(|scope| {
        let threads: Vec<_> = (0..PROCESSES)
            .map(|thread| {
                let (counts, chance) = ((&killed, &ended), Chance(seed * PROCESSES + thread));
                scope.spawn(move || kill_some(folder, chance, shortest, wanted, counts))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a thread panicked"))?)
    });
    fs::write(folder.join("stop"), "")?;
    let seen = reader.wait_with_output()?;
    outcome?;
    if !seen.status.success() {
        return Err(format!("seed {seed}: {}", String::from_utf8_lossy(&seen.stderr)).into());
    }
    // What is there now is whole, and a next run succeeds and leaves exactly what it built.
    let reader = Reader { out: folder.join("out"), known };
    reader.files()?;
    must(build(folder, 0, "out", "cache"))?;
    let expected: BTreeSet<&str> =
        reader.known[0].values().flat_map(BTreeMap::keys).map(String::as_str).chain([REPORT]).collect();
    let there = visible(&reader.out)?;
    if there.iter().map(String::as_str).collect::<BTreeSet<_>>() != expected || !reader.is_settled()? {
        return Err(format!("seed {seed}: after the last build there is {there:?}").into());
    }
    let private: Vec<_> = fs::read_dir(reader.out.join(".akari"))?.flatten().map(|entry| entry.file_name()).collect();
    if private != ["lock"] {
        return Err(format!("seed {seed}: the last build left {private:?}").into());
    }
    let (killed, ended) = (killed.into_inner(), ended.into_inner());
    println!(
        "{killed} builds were killed and {ended} ended, of {shortest:?} when alone; the reader {}",
        String::from_utf8_lossy(&seen.stdout).trim()
    );
    Ok(())
}

/// Starts builds and kills them until enough were killed in all. Counts those that were killed, and those that ended before.
fn kill_some(
    folder: &Path,
    mut chance: Chance,
    shortest: Duration,
    wanted: u64,
    counts: (&AtomicU64, &AtomicU64),
) -> io::Result<()> {
    let shortest = u64::try_from(shortest.as_micros()).unwrap_or(u64::MAX);
    let (killed, ended) = counts;
    while killed.load(Ordering::Relaxed) < wanted {
        if chance.below(4) == 0 {
            // So that there is something to compile.
            Command::new(env!("CARGO_BIN_EXE_akari"))
                .args(["cache", "clear", "--cache=cache"])
                .current_dir(folder)
                .output()?;
        }
        let version = usize::try_from(chance.below(VERSIONS as u64)).unwrap_or(0);
        let mut running = build(folder, version, "out", "cache").spawn()?;
        thread::sleep(Duration::from_micros(chance.below(shortest * 3)));
        if running.try_wait()?.is_none() {
            running.kill()?;
        }
        // One that ended just before it would have been killed was not.
        let count = if running.wait()?.code().is_some() { ended } else { killed };
        count.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// The names in an output folder that hosts look at.
fn visible(out: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(out)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<io::Result<_>>()?;
    Ok(names.into_iter().filter(|name| !name.starts_with('.')).collect())
}

/// The packages that a report tells of, with their files and hashes.
fn rows(out: &Path) -> Result<BTreeMap<String, BTreeMap<String, String>>, String> {
    let text = fs::read(out.join(REPORT)).map_err(|error| format!("the report cannot be read: {error}"))?;
    let report: Value = serde_json::from_slice(&text).map_err(|error| format!("the report is not whole: {error}"))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = report["packages"].as_array().ok_or("a report without packages")?;
    let row = |package: &Value| {
        let artifacts = package["artifacts"].as_array().into_iter().flatten();
        (text(&package["name"]), artifacts.map(|artifact| (text(&artifact["file"]), text(&artifact["hash"]))).collect())
    };
    Ok(packages.iter().map(row).collect())
}

/// Looks at an output folder as a host does.
struct Reader {
    out: PathBuf,
    known: Known,
}

/// Reads until it is told to stop; gives what was seen, or what must not be seen.
fn read_on(folder: &Path) -> Result<String, String> {
    let known = fs::read(folder.join("known.json")).map_err(|error| error.to_string())?;
    let known = serde_json::from_slice(&known).map_err(|error| error.to_string())?;
    let reader = Reader { out: folder.join("out"), known };
    let (mut looks, mut settled, mut versions) = (0, 0, BTreeSet::new());
    while !folder.join("stop").exists() {
        looks += 1;
        reader.files()?;
        versions.extend(reader.report()?);
        let is_settled = reader.is_settled()?;
        settled += u32::from(is_settled);
        if !is_settled && reader.is_unsettled_without_a_journal()? {
            return Err("files and report do not fit, nobody publishes, and there is no journal".to_owned());
        }
    }
    Ok(format!("looked {looks} times and found versions {versions:?}, all as the report says {settled} times"))
}

impl Reader {
    /// Every file is all of a file of some version.
    fn files(&self) -> Result<(), String> {
        for name in visible(&self.out).map_err(|error| error.to_string())?.iter().filter(|name| *name != REPORT) {
            // One that is gone by now was removed, which is no fault.
            let Ok(bytes) = fs::read(self.out.join(name)) else { continue };
            let hash = blake3::hash(&bytes).to_hex().to_string();
            let mut files = self.known.iter().flat_map(BTreeMap::values).filter_map(|files| files.get(name));
            if !files.any(|known| *known == hash) {
                return Err(format!("{name} is of no version: {} bytes", bytes.len()));
            }
        }
        Ok(())
    }

    /// The report is all of the report of one version; gives which.
    fn report(&self) -> Result<Option<usize>, String> {
        let rows = rows(&self.out)?;
        let version = self.known.iter().position(|known| *known == rows);
        if version.is_none() { Err(format!("a report of no version: {rows:?}")) } else { Ok(version) }
    }

    /// Whether all files are those that the report names.
    fn is_settled(&self) -> Result<bool, String> {
        let rows = rows(&self.out)?;
        let is_as_told = |(name, hash): (&String, &String)| {
            fs::read(self.out.join(name)).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == hash)
        };
        Ok(rows.values().flatten().all(is_as_told))
    }

    /// With the lock held, as hosts may that do not want to look twice: whether something is half published by nobody.
    fn is_unsettled_without_a_journal(&self) -> Result<bool, String> {
        let lock = File::open(self.out.join(".akari/lock")).map_err(|error| error.to_string())?;
        lock.lock_shared().map_err(|error| error.to_string())?;
        Ok(!self.out.join(".akari/journal").exists() && !self.is_settled()?)
    }
}
