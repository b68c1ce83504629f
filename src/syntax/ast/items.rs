//! Files, items and attributes.

use akari_ir::{FileId, Span};

use super::{Arg, Block, Expr, Ident, Type};

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Which file it is.
    pub id: FileId,
    /// The `#shader` or `#module` line; its absence has been reported.
    pub root: Option<Root>,
    /// `#version N`.
    pub version: Option<Version>,
    /// `#layout name`.
    pub layout: Option<Ident>,
    /// The names of `#import` lines, in order, without repetitions.
    pub imports: &'a [Ident],
    /// The names of `#require` lines, in order, repetitions kept.
    pub requires: &'a [Ident],
    /// The items that could be read, in order.
    pub items: &'a [Item<'a>],
    /// Names of items that a syntax error made unreadable: a reference to one deserves no further message.
    pub lost: &'a [Ident],
    /// Whether a line that may have been meant for an `#import` could not be read: nobody knows what it would have brought.
    pub lost_import: bool,
}

/// The line that says what a file is.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Package or module.
    pub kind: FileKind,
    /// Its name.
    pub name: Ident,
    /// The whole line.
    pub span: Span,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `#shader`: a package.
    Shader,
    /// `#module`: shared items.
    Module,
}

/// `#version N`.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The number written; any other than 2 has been reported.
    pub number: u32,
    /// Where the number stands.
    pub span: Span,
}

/// A definition at the top of a file.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// From the first attribute or keyword to the end.
    pub span: Span,
    /// Lines of the `///` comments before it, without the slashes and the blank after them.
    pub doc: &'a [&'a str],
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// The word `private`.
    pub private: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// What it defines.
    pub kind: ItemKind<'a>,
    /// Whether all of it could be read. If not, faulty statements, fields or cases are left out and reported: nothing
    /// that could come of their absence (an unknown local, a missing `return`) is to be reported again.
    pub intact: bool,
}

/// What an item defines.
#[derive(Clone, Copy, Debug)]
pub enum ItemKind<'a> {
    /// `struct S { … }`.
    Struct(&'a [Field<'a>]),
    /// `enum E: uint { … }`.
    Enum(Enum<'a>),
    /// `bitfield B: uint { … }`.
    Bitfield(Bitfield<'a>),
    /// `fn f(…) -> T { … }`.
    Fn(Function<'a>),
    /// `const C: T = value;`.
    Const(Const<'a>),
    /// `fn name = template(args);`.
    Instance(Instance<'a>),
    /// `@bind(group.name) let name: T;` or `@sampler(…) let name;`.
    Binding(Binding<'a>),
}

/// A field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Attributes to default, without the `;`.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: &'a Type<'a>,
    /// What a literal that omits it takes.
    pub default: Option<&'a Expr<'a>>,
}

/// The inside of an `enum`.
#[derive(Clone, Copy, Debug)]
pub struct Enum<'a> {
    /// The type after the colon.
    pub underlying: &'a Type<'a>,
    /// Its cases; never empty in an intact item.
    pub cases: &'a [EnumCase<'a>],
}

/// A case of an enum.
#[derive(Clone, Copy, Debug)]
pub struct EnumCase<'a> {
    /// Name and value.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// Its name.
    pub name: Ident,
    /// Its value, where one is written.
    pub value: Option<&'a Expr<'a>>,
}

/// The inside of a `bitfield`.
#[derive(Clone, Copy, Debug)]
pub struct Bitfield<'a> {
    /// The type after the colon.
    pub storage: &'a Type<'a>,
    /// Its fields, from the lowest bit.
    pub fields: &'a [BitfieldField<'a>],
}

/// A field of a bitfield.
#[derive(Clone, Copy, Debug)]
pub struct BitfieldField<'a> {
    /// Name and width.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// Its name.
    pub name: Ident,
    /// Its width in bits.
    pub width: &'a Expr<'a>,
}

/// The signature and body of a function.
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    /// Its parameters.
    pub params: &'a [Param<'a>],
    /// The type after `->`.
    pub result: Option<&'a Type<'a>>,
    /// Its body.
    pub body: Block<'a>,
}

/// A parameter of a function or closure.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// Attributes to default.
    pub span: Span,
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// The word `const` before it: a compile-time parameter.
    pub is_const: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// `ref` or `inout` before the type.
    pub passing: Option<Passing>,
    /// Its type. Absent only with `@sampler(…)` and in closures.
    pub ty: Option<&'a Type<'a>>,
    /// The `?` after the type: `none` may be passed.
    pub optional: Option<Span>,
    /// What a call that omits it passes.
    pub default: Option<&'a Expr<'a>>,
}

/// How a parameter is passed, where it is not by value.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// Which word was written.
    pub kind: PassingKind,
    /// Where it stands.
    pub span: Span,
}

/// How a parameter is passed, where it is not by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingKind {
    /// A read-only borrow.
    Ref,
    /// A borrow that is written back.
    Inout,
}

/// A constant of a module or of a block.
#[derive(Clone, Copy, Debug)]
pub struct Const<'a> {
    /// Its type, where one is written.
    pub ty: Option<&'a Type<'a>>,
    /// Its value.
    pub value: &'a Expr<'a>,
}

/// `fn name = template(args);`: a named specialization.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The function it specializes.
    pub template: Ident,
    /// Its compile-time arguments.
    pub args: &'a [Arg<'a>],
}

/// A resource declared at the top of a package.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// Its type; may be absent with `@sampler(…)` only.
    pub ty: Option<&'a Type<'a>>,
}

/// `@name` or `@name(args)`.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// From `@` to the closing parenthesis.
    pub span: Span,
    /// The name after `@`.
    pub name: Ident,
    /// What stands in parentheses; `None` without them, never empty with them.
    pub args: Option<&'a [AttributeArg<'a>]>,
}

/// An argument of an attribute: `value` or `name = value`.
#[derive(Clone, Copy, Debug)]
pub struct AttributeArg<'a> {
    /// Name and value.
    pub span: Span,
    /// The name before `=`.
    pub name: Option<Ident>,
    /// The value.
    pub value: AttributeValue<'a>,
}

/// What an argument of an attribute is. `group.name` is an expression: a [`Field`](super::ExprKind::Field) of a [`Name`](super::ExprKind::Name).
#[derive(Clone, Copy, Debug)]
pub enum AttributeValue<'a> {
    /// One expression.
    Expr(&'a Expr<'a>),
    /// `(a, b, …)` with at least two elements.
    Tuple(&'a [Expr<'a>]),
}
