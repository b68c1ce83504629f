//! The child's side: one device, one job after the other.

use std::io;
use std::process::exit;

use super::device::Device;
use super::execute::execute;
use super::wire::{Reply, Request, receive, send};

/// The argument that makes a program the child of a runner.
pub(super) const ARGUMENT: &str = "--akari-vulkan-runner";

/// Turns this process into the child of a [`super::VulkanRunner`] if that is what it was started for; else does nothing.
pub fn serve_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT) {
        exit(i32::from(serve().is_err()));
    }
}

fn serve() -> io::Result<()> {
    let device = Device::new();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    while let Some(request) = receive::<Request>(&mut input)? {
        let reply: Reply = match &device {
            Ok(device) => execute(device, &request.modules, &request.job),
            Err(error) => Err(error.clone()),
        };
        send(&mut output, &reply)?;
    }
    Ok(())
}
