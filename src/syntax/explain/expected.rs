//! What the grammar would have taken, in plain words.

use super::super::grammar::Rule;

/// What is expected, as a list in plain words; `end` is what the end of the text is called.
pub(super) fn expected_list(expected: &[Rule], end: &'static str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for &rule in expected {
        if let Some(word) = describe(rule)
            && !words.contains(&word)
        {
            words.push(word);
        }
    }
    // What begins a statement is a statement, whatever else it is.
    if words.contains(&"a statement") {
        words.retain(|word| matches!(*word, "a statement" | "`}`"));
    }
    // An operator could continue almost everything; it is worth a word only where little else could.
    if words.len() > 2 {
        words.retain(|word| *word != "an operator");
    }
    if expected.contains(&Rule::EOI) {
        words.push(end);
    }
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

/// What a rule stands for, in plain words; `None` for rules that are not worth a word.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::close_bracket => "`]`",
        Rule::open_brace | Rule::block | Rule::else_block => "`{`",
        Rule::close_brace => "`}`",
        Rule::close_angle => "`>`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::semicolon => "`;`",
        Rule::bar => "`|`",
        Rule::arrow => "`->`",
        Rule::equals | Rule::default_value => "`=`",
        Rule::name | Rule::file_name => "a name",
        Rule::expression | Rule::operand | Rule::for_condition | Rule::struct_rest | Rule::argument => "an expression",
        Rule::type_expression
        | Rule::type_argument
        | Rule::plain_type
        | Rule::named_type
        | Rule::fn_type
        | Rule::fn_type_param => "a type",
        Rule::statement => "a statement",
        Rule::field => "a field",
        Rule::field_value => "a field",
        Rule::enum_case => "a case",
        Rule::bitfield_field => "a bitfield field",
        Rule::param | Rule::closure_param => "a parameter",
        Rule::case | Rule::case_label => "a `case`",
        Rule::attribute_arg => "an argument",
        Rule::infix_operator => "an operator",
        Rule::number => "a number",
        Rule::function => "`(`",
        Rule::instance => "`=`",
        Rule::word_while => "`while`",
        Rule::word_if | Rule::if_statement => "`if`",
        Rule::word_fn => "`fn`",
        _ => return None,
    })
}
