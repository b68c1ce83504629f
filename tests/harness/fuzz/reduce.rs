//! Makes a program smaller that shows a fault: takes statements away for as long as it still does.

/// The smallest text found that `fails`; `text` must. Lines are statements, blocks run from a `{` at a line's end to its `}`.
pub fn reduce(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.join("\n");
        // Long runs first.
        for size in [32, 16, 8, 4, 2, 1] {
            let mut start = 0;
            while start < lines.len() {
                let end = (start + size).min(lines.len());
                let kept: Vec<String> = [&lines[..start], &lines[end..]].concat();
                let header = lines[start..end].iter().any(|line| line.starts_with("//!") || line.starts_with('#'));
                if !header && balanced(&lines[start..end]) && fails(&kept.join("\n")) {
                    lines = kept;
                } else {
                    start += if size > 1 { size / 2 } else { 1 };
                }
            }
        }
        // Whole blocks, then what is around them.
        let mut start = 0;
        while start < lines.len() {
            if let Some(end) = block(&lines, start).filter(|end| *end > start) {
                let without = [&lines[..start], &lines[end + 1..]].concat();
                let opened = [&lines[..start], &lines[start + 1..end], &lines[end + 1..]].concat();
                if let Some(kept) = [without, opened].into_iter().find(|kept| fails(&kept.join("\n"))) {
                    lines = kept;
                    continue;
                }
            }
            start += 1;
        }
        for index in 0..lines.len() {
            if lines[index].starts_with("//!") {
                continue;
            }
            let mut skip = 0;
            while let Some(simpler) = simpler(&lines[index], skip) {
                let mut kept = lines.clone();
                kept[index] = simpler;
                if fails(&kept.join("\n")) {
                    lines = kept;
                } else {
                    skip += 1;
                }
            }
        }
        if lines.join("\n") == before {
            return before + "\n";
        }
    }
}

fn balanced(lines: &[String]) -> bool {
    let mut depth = 0_i32;
    for letter in lines.iter().flat_map(|line| line.chars()) {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The line that closes the block which line `start` opens.
fn block(lines: &[String], start: usize) -> Option<usize> {
    if !lines[start].ends_with('{') {
        return None;
    }
    let mut depth = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(start) {
        for letter in line.chars() {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            if depth == 0 && letter == '}' {
                return Some(index);
            }
        }
    }
    None
}

/// The line with a part in parentheses replaced by one of its operands: the `skip`th such change.
fn simpler(line: &str, skip: usize) -> Option<String> {
    let mut changes = Vec::new();
    let bytes = line.as_bytes();
    for start in 0..bytes.len() {
        let call = start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_');
        if bytes[start] != b'(' || call {
            continue;
        }
        let mut depth = 0;
        let mut splits = vec![start];
        for (end, letter) in bytes.iter().enumerate().skip(start) {
            match letter {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        splits.push(end);
                        break;
                    }
                }
                b' ' if depth == 1 => splits.push(end),
                _ => {}
            }
        }
        let Some(&end) = splits.last() else { continue };
        if bytes[end] != b')' {
            continue;
        }
        for pair in splits.windows(2) {
            let operand = line[pair[0] + 1..pair[1]].trim();
            let word = operand.starts_with(|letter: char| {
                letter.is_alphanumeric() || letter == '_' || letter == '(' || letter == '['
            });
            if word {
                changes.push(format!("{}{operand}{}", &line[..start], &line[end + 1..]));
            }
        }
    }
    changes.into_iter().nth(skip)
}
