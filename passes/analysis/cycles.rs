//! Circles in a graph of calls.

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Circles of calls among `count` functions, each as its functions and the number of the call that goes on to the next; `most` of them
/// at most. `callee` gives what a function calls with its n-th call, if it has so many. In time proportional to the calls, without recursion.
#[must_use]
pub fn cycles(count: usize, most: usize, callee: impl Fn(usize, usize) -> Option<usize>) -> Vec<Vec<(usize, usize)>> {
    let mut marks = vec![Mark::New; count];
    let mut cycles = Vec::new();
    for start in 0..count {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        // The path from `start`, each function with the number of the call that is followed next.
        let mut path = vec![(start, 0)];
        while let Some((function, next)) = path.last_mut() {
            let Some(callee) = callee(*function, *next) else {
                marks[*function] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match marks[callee] {
                Mark::Done => {}
                Mark::New => {
                    marks[callee] = Mark::Open;
                    path.push((callee, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|(open, _)| *open == callee).unwrap_or(0);
                    cycles.push(path[from..].iter().map(|(open, next)| (*open, next - 1)).collect());
                    if cycles.len() == most {
                        return cycles;
                    }
                }
            }
        }
    }
    cycles
}
