//! The names of specializations: the template's, followed by the compile-time arguments.

use akari_ir::interface::ParamRole;
use akari_ir::{ConstId, Constant, FuncId, GlobalKind, Module, Scalar, Symbol, TypeKind};
use rustc_hash::FxHashMap;

use super::key::{Argument, Closures, Key};

/// A longer name says how many specializations of the template came before instead of what it is for.
const LONGEST: usize = 120;

/// The cases of an enum by their value: the first of that value.
pub(super) type EnumCases = FxHashMap<(Symbol, u64), Symbol>;

/// The cases of the enums that `const` parameters are of, each by the name of its enum and its value.
pub(super) fn enum_cases(module: &Module) -> EnumCases {
    let mut enums: Vec<Symbol> = Vec::new();
    for (_, function) in module.functions.iter() {
        for param in &function.params {
            if let ParamRole::Const(Some(name)) = param.role {
                enums.push(name);
            }
        }
    }
    enums.sort_unstable();
    enums.dedup();
    let mut cases = EnumCases::default();
    if enums.is_empty() {
        return cases;
    }
    for (_, global) in module.globals.iter() {
        let GlobalKind::Constant(value) = global.kind else { continue };
        let Some(bits) = module.scalar_bits(value) else { continue };
        let text = module.text(global.name);
        for name in &enums {
            let is_case = text.strip_prefix(module.text(*name)).is_some_and(|rest| rest.starts_with('_'));
            if is_case {
                cases.entry((*name, bits)).or_insert(global.name);
            }
        }
    }
    cases
}

/// The name of a specialization. `constants` is the module that its constants are of; `ordinal` tells how many of the template
/// there are already.
pub(super) fn of(
    source: &Module,
    constants: &Module,
    closures: &Closures,
    cases: &EnumCases,
    key: &Key,
    ordinal: usize,
) -> String {
    let base = source.text(source.functions[key.function].name);
    let mut name = base.to_owned();
    for (index, param) in source.functions[key.function].params.iter().enumerate() {
        let argument = match key.argument(index) {
            Argument::Runtime | Argument::Captured(_) => continue,
            // A capture that is constant has no name that its author gave it here.
            Argument::Const(_) if !matches!(param.role, ParamRole::Const(_)) => continue,
            Argument::Const(value) => match param.role {
                ParamRole::Const(Some(of)) => enum_case(source, constants, cases, of, value),
                _ => constant(constants, value),
            },
            Argument::Resource(global) => source.text(source.globals[global].name).to_owned(),
            Argument::None => "none".to_owned(),
            Argument::Closure(id) => function(source, closures.get(id).function).to_owned(),
        };
        let param = source.value(param.value).name.map_or("value", |name| source.text(name));
        name.push_str("__");
        name.push_str(param);
        name.push('_');
        name.push_str(&argument);
        if name.len() > LONGEST {
            return format!("{base}__{}", ordinal + 1);
        }
    }
    name
}

fn function(source: &Module, function: FuncId) -> &str {
    source.text(source.functions[function].name)
}

fn enum_case(source: &Module, constants: &Module, cases: &EnumCases, of: Symbol, value: ConstId) -> String {
    let case = constants.scalar_bits(value).and_then(|bits| cases.get(&(of, bits)));
    match case {
        Some(case) => source.text(*case)[source.text(of).len() + 1..].to_owned(),
        None => constant(constants, value),
    }
}

/// A constant as part of a name: letters, digits and single underscores.
fn constant(module: &Module, value: ConstId) -> String {
    match module.constant(value) {
        Constant::Scalar(ty, bits) => match module.kind(*ty) {
            TypeKind::Scalar(of) => scalar(of, *bits),
            _ => "value".to_owned(),
        },
        Constant::Zero(_) => "zero".to_owned(),
        Constant::Composite(_, parts) => {
            let parts: Vec<String> = parts.iter().map(|part| constant(module, *part)).collect();
            parts.join("_")
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
