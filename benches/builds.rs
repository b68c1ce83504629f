//! Whole builds of 200 packages by the program, in processor time of all its threads: from nothing, and where nothing changed.

#[path = "../tests/program/many.rs"]
mod many;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};

fn akari(folder: &Path) {
    let flags = ["compile", "--spec=s.json", "--out=out", "--quiet"];
    let status =
        Command::new(env!("CARGO_BIN_EXE_akari")).args(flags).current_dir(folder).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "the build fails");
}

/// The processor time of all processes that were started and have ended. Where the system does not tell, the time of day serves.
fn processor_time(since: Instant) -> Duration {
    // proc(5): after the name in parentheses the state is field 3; fields 16 and 17 count what waited-for children used, in ticks of 1/100 s.
    let ticks = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?)
    });
    ticks.map_or_else(|| since.elapsed(), |ticks| Duration::from_millis(ticks * 10))
}

fn builds(criterion: &mut Criterion) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    many::write(folder, "vulkan", 200).expect("the packages");
    let start = Instant::now();
    let measure = |rounds: u64, before: &dyn Fn()| {
        let mut time = Duration::ZERO;
        for _ in 0..rounds {
            before();
            let began = processor_time(start);
            akari(folder);
            time += processor_time(start) - began;
        }
        time
    };
    let mut group = criterion.benchmark_group("200 packages for Vulkan, processor time");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("from nothing", |bencher| {
        bencher.iter_custom(|rounds| {
            measure(rounds, &|| {
                let _ = fs::remove_dir_all(folder.join("out"));
            })
        });
    });
    akari(folder);
    group.bench_function("nothing changed", |bencher| bencher.iter_custom(|rounds| measure(rounds, &|| ())));
    group.finish();
}

criterion_group!(benches, builds);
criterion_main!(benches);
