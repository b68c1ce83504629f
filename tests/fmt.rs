//! `akari fmt` as a program: files, folders, exit status.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

const UGLY: &str = "#module m\nconst A:int=1;\n";
const FINE: &str = "#module m\n\nconst A: int = 1;\n";

fn fmt(arguments: &[&str], folder: &Path) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_akari")).arg("fmt").args(arguments).current_dir(folder).output()
}

fn piped(arguments: &[&str], input: &str) -> std::io::Result<Output> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_akari"))
        .arg("fmt")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    child.wait_with_output()
}

#[test]
fn formats_in_place() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path();
    std::fs::create_dir_all(path.join("a/b"))?;
    std::fs::write(path.join("a/b/one.akari"), UGLY)?;
    std::fs::write(path.join("a/two.akari"), FINE)?;
    std::fs::write(path.join("a/not.txt"), UGLY)?;
    let check = fmt(&["--check", "a"], path)?;
    assert_eq!(check.status.code(), Some(1));
    assert_eq!(String::from_utf8(check.stdout)?, format!("{}\n", Path::new("a/b/one.akari").display()));
    assert_eq!(std::fs::read_to_string(path.join("a/b/one.akari"))?, UGLY, "--check changes nothing");
    assert_eq!(fmt(&["a"], path)?.status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(path.join("a/b/one.akari"))?, FINE);
    assert_eq!(std::fs::read_to_string(path.join("a/not.txt"))?, UGLY);
    assert_eq!(fmt(&["--check", "a"], path)?.status.code(), Some(0));
    Ok(())
}

#[test]
fn reports_what_it_cannot_read() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path();
    std::fs::write(path.join("bad.akari"), "#module m\nfn f( { }\n")?;
    std::fs::write(path.join("good.akari"), UGLY)?;
    let output = fmt(&["bad.akari", "missing.akari", "good.akari"], path)?;
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr)?;
    assert!(said.contains("error: bad.akari:2:5: this `(` is never closed"), "{said}");
    assert!(said.contains("cannot read missing.akari"), "{said}");
    assert_eq!(std::fs::read_to_string(path.join("good.akari"))?, FINE, "the others are formatted all the same");
    assert_eq!(fmt(&[], path)?.status.code(), Some(2));
    Ok(())
}

#[test]
fn formats_standard_input() -> Result {
    let output = piped(&["--stdin"], UGLY)?;
    assert_eq!((output.status.code(), String::from_utf8(output.stdout)?.as_str()), (Some(0), FINE));
    assert_eq!(piped(&["--stdin", "--check"], UGLY)?.status.code(), Some(1));
    assert_eq!(piped(&["--stdin", "--check"], FINE)?.status.code(), Some(0));
    assert_eq!(piped(&["--stdin"], "fn")?.status.code(), Some(1));
    Ok(())
}
