//! The names of specializations: the template's, followed by the compile-time arguments.

use akari_ir::interface::ParamRole;
use akari_ir::{ConstId, Constant, FuncId, GlobalId, GlobalKind, Module, Scalar, Symbol, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::key::{Argument, Closures, Key};

/// A longer name says how many specializations of the template came before instead of what it is for.
const LONGEST: usize = 120;

/// The names of the cases of enums, looked up once an enum that is asked about.
#[derive(Default)]
pub(super) struct EnumCases {
    /// The numbers among the globals, in the order of their names.
    constants: Option<Vec<GlobalId>>,
    known: FxHashSet<Symbol>,
    /// The first case of a value.
    cases: FxHashMap<(Symbol, u64), Symbol>,
}

impl EnumCases {
    /// The constant that stands for a value of an enum.
    fn find(&mut self, module: &Module, of: Symbol, bits: u64) -> Option<Symbol> {
        if self.known.insert(of) {
            self.read(module, of);
        }
        self.cases.get(&(of, bits)).copied()
    }

    fn read(&mut self, module: &Module, of: Symbol) {
        let name = |global: GlobalId| module.text(module.globals[global].name);
        let bits = |global: GlobalId| match module.globals[global].kind {
            GlobalKind::Constant(value) => module.scalar_bits(value),
            GlobalKind::Workgroup | GlobalKind::Resource { .. } => None,
        };
        let constants = self.constants.get_or_insert_with(|| {
            let mut constants: Vec<GlobalId> = module.globals.ids().filter(|global| bits(*global).is_some()).collect();
            constants.sort_by_key(|global| name(*global));
            constants
        });
        let prefix = format!("{}_", module.text(of));
        let first = constants.partition_point(|global| name(*global) < prefix.as_str());
        let mut found: Vec<GlobalId> =
            constants[first..].iter().copied().take_while(|global| name(*global).starts_with(&prefix)).collect();
        found.sort_unstable();
        for global in found {
            if let Some(bits) = bits(global) {
                self.cases.entry((of, bits)).or_insert(module.globals[global].name);
            }
        }
    }
}

/// The name of a template followed by its compile-time arguments, each with the name of its parameter; none where that is too long to be
/// read. The front end speaks of specializations by this name too.
pub fn joined<P: AsRef<str>, A: AsRef<str>>(
    template: &str,
    arguments: impl IntoIterator<Item = (P, A)>,
) -> Option<String> {
    let mut name = template.to_owned();
    for (param, argument) in arguments {
        for part in ["__", param.as_ref(), "_", argument.as_ref()] {
            name.push_str(part);
        }
        if name.len() > LONGEST {
            return None;
        }
    }
    Some(name)
}

/// The name of a specialization. `constants` is the module that its constants are of; `ordinal` tells how many of the template
/// there are already.
pub(super) fn of(
    source: &Module,
    constants: &Module,
    closures: &Closures,
    cases: &mut EnumCases,
    key: &Key,
    ordinal: usize,
) -> String {
    let base = source.text(source.functions[key.function].name);
    let arguments = source.functions[key.function].params.iter().enumerate().filter_map(|(index, param)| {
        let argument = match key.argument(index) {
            Argument::Runtime | Argument::Captured(_) => return None,
            // A capture that is constant has no name that its author gave it here.
            Argument::Const(_) if !matches!(param.role, ParamRole::Const(_)) => return None,
            Argument::Const(value) => match param.role {
                ParamRole::Const(Some(of)) => enum_case(source, constants, cases, of, value),
                _ => constant(constants, value),
            },
            Argument::Resource(global) => source.text(source.globals[global].name).to_owned(),
            Argument::None => "none".to_owned(),
            Argument::Closure(id) => function(source, closures.get(id).function).to_owned(),
        };
        Some((source.value(param.value).name.map_or("value", |name| source.text(name)), argument))
    });
    joined(base, arguments).unwrap_or_else(|| format!("{base}__{}", ordinal + 1))
}

fn function(source: &Module, function: FuncId) -> &str {
    source.text(source.functions[function].name)
}

fn enum_case(source: &Module, constants: &Module, cases: &mut EnumCases, of: Symbol, value: ConstId) -> String {
    let case = constants.scalar_bits(value).and_then(|bits| cases.find(source, of, bits));
    match case {
        Some(case) => source.text(case)[source.text(of).len() + 1..].to_owned(),
        None => constant(constants, value),
    }
}

/// A constant as part of a name: letters, digits and single underscores.
#[must_use]
pub fn constant(module: &Module, value: ConstId) -> String {
    match module.constant(value) {
        Constant::Scalar(ty, bits) => match module.kind(*ty) {
            TypeKind::Scalar(of) => scalar(of, *bits),
            _ => "value".to_owned(),
        },
        Constant::Zero(_) => "zero".to_owned(),
        Constant::Composite(_, parts) => {
            let mut name = String::new();
            // No name needs more of a long array than makes it too long.
            for part in parts.iter().take(LONGEST) {
                if !name.is_empty() {
                    name.push('_');
                }
                name.push_str(&constant(module, *part));
                if name.len() > LONGEST {
                    break;
                }
            }
            name
        }
    }
}

fn scalar(of: Scalar, bits: u64) -> String {
    let text = match of {
        Scalar::Bool => return if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::I32 => (bits as u32 as i32).to_string(),
        Scalar::U32 | Scalar::U64 => return bits.to_string(),
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::F16 => format!("{:?}", half::f16::from_bits(bits as u16).to_f32()),
    };
    text.replace('-', "m").replace('.', "_").replace('+', "")
}
