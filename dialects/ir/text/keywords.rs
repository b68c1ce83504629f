//! Names that both the printer and the parser use.

/// Finds the name of a value in one of the `ALL` tables.
pub(super) fn name_of<T: Copy + PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|(candidate, _)| *candidate == value).map_or("?", |(_, name)| name)
}

/// Finds the value of a name in one of the `ALL` tables.
pub(super) fn value_of<T: Copy>(table: &[(T, &'static str)], name: &str) -> Option<T> {
    table.iter().find(|(_, candidate)| *candidate == name).map(|(value, _)| *value)
}
