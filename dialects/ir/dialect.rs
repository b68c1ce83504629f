//! Dialects: tables of operations, written with [`dialect!`](crate::dialect!).

use crate::op::OpDef;

/// A table of operations.
#[derive(Debug)]
pub struct Dialect {
    /// The prefix of its operations in the textual form.
    pub name: &'static str,
    /// One line about it.
    pub doc: &'static str,
    /// Its rows.
    pub ops: &'static [OpDef],
}

/// The dialects that a textual module may use.
#[derive(Clone, Copy, Debug)]
pub struct Registry<'a>(pub &'a [&'static Dialect]);

impl Registry<'_> {
    /// The row of `dialect.name`.
    #[must_use]
    pub fn find(&self, dialect: &str, name: &str) -> Option<&'static OpDef> {
        let dialect = self.0.iter().find(|candidate| candidate.name == dialect)?;
        dialect.ops.iter().find(|op| op.name == name)
    }
}

/// Declares a dialect from one row an operation.
///
/// A row reads
///
/// ```text
/// /// What it means.
/// Variant name(operand: Rule, rest: Rule...) {attr: Kind} [region, cases*] -> ResultRule = TRAIT | TRAIT, verify path, traits path;
/// ```
///
/// and gives the variant of the dialect's enum, its [`OpDef`], and a typed view in the module `view`.
#[macro_export]
macro_rules! dialect {
    (
        $(#[doc = $dialect_doc:literal])*
        dialect $dialect:literal $id:literal, enum $Ops:ident, static $TABLE:ident;
        $(
            $(#[doc = $doc:literal])+
            $Variant:ident $name:literal
            ($($operand:ident: $rule:ident $(($rule_arg:literal))? $($variadic:literal)?),* $(,)?)
            {$($attr:ident: $kind:ident $(($kind_arg:path))?),* $(,)?}
            [$($region:ident $($region_star:literal)?),* $(,)?]
            -> $result:ident $(($result_arg:literal))?
            = $($trait:ident)|+
            $(, verify $verify:path)?
            $(, traits $traits:path)?
            ;
        )+
    ) => {
        $(#[doc = $dialect_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $Ops {
            $($(#[doc = $doc])+ $Variant,)+
        }

        impl $Ops {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];
            /// The number of the dialect.
            pub const DIALECT: u8 = $id;

            /// The operation's row.
            #[must_use]
            pub fn def(self) -> &'static $crate::op::OpDef {
                &$TABLE.ops[self as usize]
            }

            /// Which of this dialect's operations `op` is, if any.
            #[must_use]
            pub fn of(op: &$crate::op::Op) -> Option<Self> {
                (op.def.dialect_id == $id).then(|| Self::ALL[op.def.index as usize])
            }
        }

        /// The dialect's table.
        pub static $TABLE: $crate::dialect::Dialect = $crate::dialect::Dialect {
            name: $dialect,
            doc: concat!($($dialect_doc, "\n"),*),
            ops: &[$(
                $crate::op::OpDef {
                    dialect: $dialect,
                    dialect_id: $id,
                    index: $Ops::$Variant as u8,
                    name: $name,
                    doc: concat!($($doc, "\n"),+),
                    operands: &[$($crate::op::OperandDef {
                        name: stringify!($operand),
                        rule: $crate::op::TypeRule::$rule $(($rule_arg))?,
                        variadic: $crate::dialect!(@given $($variadic)?),
                    }),*],
                    attrs: &[$($crate::op::AttrDef {
                        name: stringify!($attr),
                        kind: $crate::op::AttrKind::$kind $((&$kind_arg))?,
                    }),*],
                    regions: &[$(concat!(stringify!($region) $(, $region_star)?)),*],
                    result: $crate::op::ResultRule::$result $(($result_arg))?,
                    traits: $crate::op::Traits::NONE$(.with($crate::op::Traits::$trait))+,
                    dynamic_traits: $crate::dialect!(@option $($traits)?),
                    verify: $crate::dialect!(@option $($verify)?),
                },
            )+],
        };

        /// Typed access to the parts of each operation.
        pub mod view {
            #![allow(dead_code, clippy::missing_panics_doc, reason = "made for every row alike")]
            $(
                $(#[doc = $doc])+
                #[derive(Clone, Copy, Debug)]
                pub struct $Variant(pub $crate::entity::OpId);
                impl $Variant {
                    /// The view of `op`, if it is this operation.
                    #[must_use]
                    pub fn cast(module: &$crate::module::Module, op: $crate::entity::OpId) -> Option<Self> {
                        (super::$Ops::of(module.op(op)) == Some(super::$Ops::$Variant)).then_some(Self(op))
                    }
                    $crate::dialect!(@operands 0usize; $($operand $($variadic)?,)*);
                    $crate::dialect!(@regions 0usize; $($region $($region_star)?,)*);
                    $crate::dialect!(@attrs 0usize; $($attr,)*);
                }
            )+
        }
    };

    (@given) => { false };
    (@given $variadic:literal) => { true };
    (@option) => { None };
    (@option $path:path) => { Some($path) };

    (@operands $n:expr;) => {};
    (@operands $n:expr; $name:ident $variadic:literal,) => {
        /// The operands of this name.
        #[must_use]
        pub fn $name(self, module: &$crate::module::Module) -> &[$crate::entity::ValueId] {
            &module.op(self.0).operands[$n..]
        }
    };
    (@operands $n:expr; $name:ident, $($rest:tt)*) => {
        /// The operand of this name.
        #[must_use]
        pub fn $name(self, module: &$crate::module::Module) -> $crate::entity::ValueId {
            module.op(self.0).operands[$n]
        }
        $crate::dialect!(@operands $n + 1usize; $($rest)*);
    };

    (@regions $n:expr;) => {};
    (@regions $n:expr; $name:ident $star:literal,) => {
        /// The regions of this name.
        #[must_use]
        pub fn $name(self, module: &$crate::module::Module) -> &[$crate::entity::RegionId] {
            &module.op(self.0).regions[$n..]
        }
    };
    (@regions $n:expr; $name:ident, $($rest:tt)*) => {
        /// The region of this name.
        #[must_use]
        pub fn $name(self, module: &$crate::module::Module) -> $crate::entity::RegionId {
            module.op(self.0).regions[$n]
        }
        $crate::dialect!(@regions $n + 1usize; $($rest)*);
    };

    (@attrs $n:expr;) => {};
    (@attrs $n:expr; $name:ident, $($rest:tt)*) => {
        /// The attribute of this name.
        #[must_use]
        pub fn $name(self, module: &$crate::module::Module) -> &$crate::op::Attr {
            &module.op(self.0).attrs[$n]
        }
        $crate::dialect!(@attrs $n + 1usize; $($rest)*);
    };
}
