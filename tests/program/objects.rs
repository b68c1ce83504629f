//! What a script in the place of a tool makes: objects whose frames are those of real ones.

use std::process::Command;

use super::Place;

/// The functions `container FROM TO` and `module FROM TO` of bash, which put a text into a DXIL container and a SPIR-V module.
pub(crate) const OBJECTS: &str = r#"
le() {
    local bytes
    printf -v bytes '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255))
    printf "$bytes"
}
container() {
    local size=$(wc -c < "$1")
    { printf 'DXBC\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; le 1; le $((size + 44)); le 1; le 36; printf DXIL; le $size; cat "$1"; } > "$2"
}
module() {
    local size=$(wc -c < "$1")
    local words=$((size / 4 + 1))
    { le 0x07230203; le 0x10500; le 0; le 8; le 0; le $(((words + 2) << 16 | 7)); le 1; cat "$1"; head -c $((words * 4 - size)) /dev/zero; } > "$2"
}
"#;

/// A program in the place of `dxc` that makes an object of a text. It records its arguments in `dxc.log` beside it.
pub(crate) fn dxc() -> String {
    let script = r#"
here=$(cd "$(dirname "$0")" && pwd)
echo "$*" >> "$here/dxc.log"
[ "$1" = --version ] && exit 0
form=container
while [ $# -gt 1 ]; do
    [ "$1" = -spirv ] && form=module
    [ "$1" = -Fo ] && object=$2
    shift
done
$form "$1" "$object"
"#;
    format!("#!/bin/bash\n{OBJECTS}{script}")
}

/// Builds `libdxcompiler.so`, a library in the place of DXC's that crashes over some numbers (`library.c`).
pub(crate) fn build_library(place: &Place, flags: &[&str]) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/library.c");
    let mut command = Command::new("cc");
    command
        .args(["-shared", "-fPIC", "-O1", "-o", "libdxcompiler.so", source])
        .args(flags)
        .current_dir(place.path("."));
    assert!(command.status().expect("a C compiler").success());
}
