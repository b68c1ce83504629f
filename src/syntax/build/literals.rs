//! Literals: their values, and what is wrong with numbers written otherwise.

use akari_ir::Diagnostic;

use super::{Builder, Node, Rule, codes};
use crate::syntax::ast::{FloatSuffix, IntSuffix, Literal};

impl<'a> Builder<'a, '_> {
    /// A [`Rule::number`] or [`Rule::truth`].
    pub(super) fn literal(&mut self, node: Node<'_>) -> Literal<'a> {
        let written = self.text(node);
        if node.as_rule() == Rule::truth {
            return Literal::Bool(written == "true");
        }
        match classify(written) {
            NumberForm::Int => self.int(written, node),
            NumberForm::Float => self.float(written),
            NumberForm::Malformed => self.malformed(node),
        }
    }

    fn float(&self, written: &str) -> Literal<'a> {
        let text = &*self.arena.alloc_str(written);
        let (digits, suffix) =
            text.strip_suffix('h').map_or((text, FloatSuffix::None), |digits| (digits, FloatSuffix::H));
        let digits = if digits.contains('_') { self.arena.alloc_str(&digits.replace('_', "")) } else { digits };
        Literal::Float { digits, suffix, text }
    }

    fn int(&mut self, written: &str, node: Node<'_>) -> Literal<'a> {
        let text = &*self.arena.alloc_str(written);
        let (digits, suffix) = match text.strip_suffix("ul") {
            Some(digits) => (digits, IntSuffix::Ul),
            None => text.strip_suffix('u').map_or((text, IntSuffix::None), |digits| (digits, IntSuffix::U)),
        };
        let (digits, radix) = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            (None, None) => (digits, 10),
        };
        let value = digits.bytes().filter(|&byte| byte != b'_').try_fold(0_u64, |value, byte| {
            let digit = char::from(byte).to_digit(radix)?;
            value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
        });
        let value = value.unwrap_or_else(|| {
            let span = self.span(node);
            let message = "this integer is too large: no type has more than 64 bits";
            self.error(codes::NUMBER_TOO_LARGE, span, message);
            0
        });
        Literal::Int { value, suffix, text }
    }

    /// Reports a number that is not one, and takes it for what was probably meant: else its type would be wrong too.
    fn malformed(&mut self, node: Node<'_>) -> Literal<'a> {
        let span = self.span(node);
        let written = self.text(node);
        let (message, help) = fault(written);
        let error = Diagnostic { help, ..Diagnostic::error(codes::MALFORMED_NUMBER, span, message) };
        self.report(error);
        let meant = meant(written);
        match classify(&meant) {
            NumberForm::Int => self.int(&meant, node),
            NumberForm::Float => self.float(&meant),
            NumberForm::Malformed if written.contains('.') => self.float("0.0"),
            NumberForm::Malformed => self.int("0", node),
        }
    }
}

/// A number as Akari writes it, of one with a suffix of another language.
fn meant(written: &str) -> String {
    let lower = written.to_ascii_lowercase();
    let suffixes = [
        ("f32", "f"),
        ("f16", "h"),
        ("f64", "f"),
        ("u32", "u"),
        ("i32", ""),
        ("u64", "ul"),
        ("i64", "ul"),
        ("ull", "ul"),
        ("ul", "ul"),
        ("lu", "ul"),
        ("lf", "f"),
        ("f", "f"),
        ("h", "h"),
        ("u", "u"),
        ("l", "ul"),
        ("i", ""),
    ];
    let found = suffixes.iter().find_map(|(foreign, own)| lower.strip_suffix(foreign).map(|number| (number, *own)));
    let Some((number, suffix)) = found.filter(|_| !lower.starts_with("0x")) else { return lower };
    let whole = !number.contains(['.', 'e']);
    match suffix {
        "f" if whole => format!("{number}.0"),
        "h" if whole => format!("{number}.0h"),
        "f" => number.to_owned(),
        "u" | "ul" if !whole => number.to_owned(),
        _ => format!("{number}{suffix}"),
    }
}

/// What a number is, by its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    Int,
    Float,
    Malformed,
}

/// The form of a number: `lexical_number` of the grammar.
pub(crate) fn classify(text: &str) -> NumberForm {
    let digits_of = |text: &str, radix: u32| {
        let mut any = false;
        let fine = text.chars().all(|c| c == '_' || (c.is_digit(radix) && std::mem::replace(&mut any, true) | true));
        fine && any
    };
    let without_suffix = text.strip_suffix("ul").or_else(|| text.strip_suffix('u')).unwrap_or(text);
    let is_int = match (without_suffix.strip_prefix("0x"), without_suffix.strip_prefix("0b")) {
        (Some(digits), _) => digits_of(digits, 16),
        (_, Some(digits)) => digits_of(digits, 2),
        (None, None) => digits_of(without_suffix, 10),
    };
    if is_int {
        return NumberForm::Int;
    }
    let decimal = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && digits_of(text, 10);
    let number = text.strip_suffix('h').unwrap_or(text);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (number, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let has_part = fraction.is_some() || exponent.is_some();
    if has_part && decimal(whole) && fraction.is_none_or(decimal) && exponent.is_none_or(decimal) {
        NumberForm::Float
    } else {
        NumberForm::Malformed
    }
}

/// What is wrong with a number, and what to write instead.
fn fault(text: &str) -> (String, Option<String>) {
    let lower = text.to_ascii_lowercase();
    if text.matches('.').count() > 1 {
        return (format!("{} has two decimal points", shown(text)), None);
    }
    let based = [("0x", "hexadecimal", 16), ("0b", "binary", 2)];
    for (prefix, kind, radix) in based {
        let Some(digits) = lower.strip_prefix(prefix) else { continue };
        if !text.starts_with(prefix) {
            return (format!("the prefix of a {kind} number is `{prefix}`, in lower case"), None);
        }
        if digits.contains('.') {
            return (format!("a {kind} number is an integer: it has no decimal point"), None);
        }
        let body = digits.trim_end_matches(['u', 'l']);
        if body.bytes().all(|byte| byte == b'_') {
            return (format!("{} has no digits", shown(text)), None);
        }
        if let Some(bad) = body.chars().find(|c| *c != '_' && !c.is_digit(radix)) {
            return (format!("`{bad}` is not a digit of a {kind} number"), None);
        }
        return suffix_fault(&text[prefix.len() + body.len()..], false);
    }
    if lower.starts_with("0o") {
        return (
            "Akari has no octal numbers".into(),
            Some("write it as decimal, hexadecimal (`0x…`) or binary (`0b…`)".into()),
        );
    }
    let exponent = lower.find('e');
    let is_float = lower.contains('.') || exponent.is_some();
    if exponent.is_some_and(|at| !lower[at + 1..].starts_with(|c: char| c.is_ascii_digit())) {
        return ("this exponent has no digits".into(), None);
    }
    let suffix = text.find(|c: char| c.is_ascii_alphabetic() && !(exponent.is_some() && c.eq_ignore_ascii_case(&'e')));
    match suffix {
        Some(at) => suffix_fault(&text[at..], is_float),
        None => (format!("{} is not a number", shown(text)), None),
    }
}

fn suffix_fault(suffix: &str, is_float: bool) -> (String, Option<String>) {
    let help = match suffix {
        "f" | "F" if is_float => "a number with a point is a `float` without any suffix",
        "f" | "F" => "a `float` is written with a point and without suffix, as `1.0`",
        "U" => "the suffix of `uint` is `u`, in lower case",
        "UL" | "Ul" | "uL" | "ull" | "ULL" | "l" | "L" | "lu" | "LU" => "the suffix of `uint64` is `ul`",
        "h" => "a `half` is written with a point, as `1.0h`",
        "H" => "the suffix of `half` is `h`, in lower case",
        "u" | "ul" => "a number with a point or exponent is no integer: only `h` may follow it",
        _ => "an integer may end in `u` (uint) or `ul` (uint64), a float in `h` (half)",
    };
    (format!("`{suffix}` is no suffix of {}", if is_float { "a float" } else { "an integer" }), Some(help.into()))
}

/// The number in backquotes, shortened where it is long.
fn shown(text: &str) -> String {
    if text.len() <= 24 { format!("`{text}`") } else { format!("`{}…`", &text[..20]) }
}
