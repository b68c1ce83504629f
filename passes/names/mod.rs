//! `assign-names`: gives everything that a text target declares a legal name that means one thing wherever it is seen.
//!
//! Names stay what they are in the source where the target allows it. A word that the target keeps for itself becomes `_word` as a
//! field or variable and `word_` at module level; `__` becomes `_`, but for
//! the names that `specialize` has made. A name that is taken gets a suffix: overloads the types of their
//! parameters, everything else a number. Variables of blocks beside each other may share a name, those of nested blocks never.
//! A variable may have the name of a resource or groupshared variable that its function does not use; nothing else is ever shadowed.
//!
//! Before: functions, structures, fields, globals and values carry source names, or none. After: each function, structure
//! and global has a name of its own in the module, each field one of its own in its structure, each parameter, `local` and `let` one
//! that nothing else visible has.

use akari_dialect::AkariOp;
use akari_dialect_gpu_abi::Target;
use akari_ir::{GlobalId, GlobalKind, Module, OpId, RegionId, Symbol, Traits, Type, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::uses::Uses;
use crate::analysis::walk::walk;
use crate::emit::c_like::statement::loop_variable;
use crate::{Changed, Failed, IrStage, Pass, PassContext};

/// See the module.
pub struct AssignNames;

impl Pass for AssignNames {
    const NAME: &'static str = "assign-names";
    const SUMMARY: &'static str = "give everything declared a unique name that the target allows";
    const GIVES: Option<IrStage> = Some(IrStage::Named);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut names = Names::for_target(context.target);
        let uses = Uses::of(module);
        names.module_level(module);
        for function in module.functions.ids() {
            names.function(module, &uses, function);
        }
        Ok(Changed::Yes)
    }
}

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Module,
    Field,
    Variable,
}

struct Names {
    keywords: FxHashSet<&'static str>,
    intrinsics: FxHashSet<&'static str>,
    /// Names that only module-level ones would clash with.
    predefined: FxHashSet<&'static str>,
    is_type: fn(&str) -> bool,
    /// Names at module level.
    module: FxHashSet<String>,
    /// The names of resources and groupshared variables, which variables hide where a function does not use them.
    hideable: FxHashMap<String, GlobalId>,
    /// The globals that the function at hand uses.
    used: FxHashSet<GlobalId>,
    /// Variables that are visible where we are.
    visible: FxHashSet<String>,
    /// The next number to try for a name that was taken before.
    next: FxHashMap<String, u32>,
}

impl Names {
    fn for_target(target: Option<Target>) -> Self {
        let (keywords, intrinsics): (&[&str], &[&str]) = match target {
            Some(Target::Metal) => (akari_dialect_msl::keywords::KEYWORDS, akari_dialect_msl::keywords::INTRINSICS),
            Some(Target::D3d12 | Target::VulkanHlsl) => {
                (akari_dialect_hlsl::keywords::KEYWORDS, akari_dialect_hlsl::keywords::INTRINSICS)
            }
            Some(Target::Spirv) | None => (&[], &[]),
        };
        let is_hlsl = matches!(target, Some(Target::D3d12 | Target::VulkanHlsl));
        Self {
            predefined: akari_dialect_hlsl::keywords::PREDEFINED.iter().copied().filter(|_| is_hlsl).collect(),
            is_type: if is_hlsl { akari_dialect_hlsl::keywords::is_vector_or_matrix } else { |_| false },
            keywords: keywords.iter().copied().collect(),
            intrinsics: intrinsics.iter().copied().collect(),
            module: FxHashSet::default(),
            hideable: FxHashMap::default(),
            used: FxHashSet::default(),
            visible: FxHashSet::default(),
            next: FxHashMap::default(),
        }
    }

    fn is_reserved(&self, name: &str, scope: Scope) -> bool {
        self.keywords.contains(name)
            || scope != Scope::Field && (self.intrinsics.contains(name) || (self.is_type)(name))
            || scope == Scope::Module && self.predefined.contains(name)
    }

    /// The name itself, or the legal one nearest to it.
    fn legal(&self, name: &str, scope: Scope) -> String {
        self.legal_keeping(name, scope, false)
    }

    /// As [`Self::legal`]; `doubled` keeps `__`, which stands between the parts of a specialization's name.
    fn legal_keeping(&self, name: &str, scope: Scope, doubled: bool) -> String {
        let mut legal = String::with_capacity(name.len());
        for character in name.chars() {
            match character {
                '_' if legal.ends_with(if doubled { "__" } else { "_" }) => {}
                '_' | 'a'..='z' | 'A'..='Z' | '0'..='9' => legal.push(character),
                _ => {}
            }
        }
        // C++ keeps `_Upper` everywhere and `_lower` at module level for its implementation.
        let second = legal.chars().nth(1);
        if legal.starts_with('_')
            && (scope == Scope::Module || second.is_none_or(|second| !second.is_ascii_lowercase()))
        {
            legal.remove(0);
        }
        if legal.is_empty() || legal.starts_with(|first: char| first.is_ascii_digit()) {
            legal.insert(0, 'v');
        }
        while self.is_reserved(&legal, scope) {
            if scope == Scope::Module || !legal.starts_with(|first: char| first.is_ascii_lowercase()) {
                legal.push('_');
            } else {
                legal.insert(0, '_');
            }
        }
        legal
    }

    /// `name`, or the first of `name_1`, `name_2`, … that nobody has.
    fn numbered(&mut self, name: String, taken: impl Fn(&Self, &str) -> bool) -> String {
        if !taken(self, &name) {
            return name;
        }
        let base = name.trim_end_matches('_').to_owned();
        let mut number = *self.next.get(&base).unwrap_or(&1);
        // A number found to be taken in one block may be free in the next one.
        while number > 1 && !taken(self, &format!("{base}_{}", number - 1)) {
            number -= 1;
        }
        loop {
            let candidate = format!("{base}_{number}");
            number += 1;
            if !taken(self, &candidate) {
                self.next.insert(base, number);
                return candidate;
            }
        }
    }

    fn module_name(&mut self, name: &str) -> String {
        self.module_name_keeping(name, false)
    }

    fn module_name_keeping(&mut self, name: &str, doubled: bool) -> String {
        let legal = self.legal_keeping(name, Scope::Module, doubled);
        let unique =
            self.numbered(legal, |names, name| names.module.contains(name) || names.is_reserved(name, Scope::Module));
        self.module.insert(unique.clone());
        unique
    }

    fn module_level(&mut self, module: &mut Module) {
        let functions: Vec<_> = module.functions.ids().collect();
        // The host asks for entries by their names, so these are given first.
        let (entries, helpers): (Vec<_>, Vec<_>) =
            functions.into_iter().partition(|id| module.functions[*id].entry.is_some());
        for id in entries {
            let name = self.module_name(module.text(module.functions[id].name));
            module.functions[id].name = module.symbols.intern(&name);
        }
        for id in module.structs.ids() {
            let name = self.module_name(module.text(module.structs[id].name));
            module.structs[id].name = module.symbols.intern(&name);
            self.fields(module, id);
        }
        for id in module.globals.ids() {
            let name = self.module_name(module.text(module.globals[id].name));
            module.globals[id].name = module.symbols.intern(&name);
            if matches!(module.globals[id].kind, GlobalKind::Resource { .. } | GlobalKind::Workgroup) {
                self.hideable.insert(name, id);
            }
        }
        for id in helpers {
            let mut name = module.text(module.functions[id].name).to_owned();
            let doubled = module.functions[id].requested.is_some_and(|requested| requested.by.is_some());
            if self.module.contains(&self.legal_keeping(&name, Scope::Module, doubled)) {
                name.push_str(&overload_suffix(module, id));
            }
            let name = self.module_name_keeping(&name, doubled);
            module.functions[id].name = module.symbols.intern(&name);
        }
    }

    fn fields(&mut self, module: &mut Module, id: akari_ir::StructId) {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for index in 0..module.structs[id].fields.len() {
            let legal = self.legal(module.text(module.structs[id].fields[index].name), Scope::Field);
            let mut name = legal.clone();
            let mut number = 1;
            while taken.contains(&name) || self.is_reserved(&name, Scope::Field) {
                name = format!("{legal}_{number}");
                number += 1;
            }
            taken.insert(name.clone());
            module.structs[id].fields[index].name = module.symbols.intern(&name);
        }
    }

    fn function(&mut self, module: &mut Module, uses: &Uses, id: akari_ir::FuncId) {
        self.visible.clear();
        self.next.clear();
        let body = module.functions[id].body;
        self.used = used_globals(module, body);
        for index in 0..module.functions[id].params.len() {
            let value = module.functions[id].params[index].value;
            self.variable(module, value);
        }
        self.region(module, uses, body);
    }

    fn region(&mut self, module: &mut Module, uses: &Uses, region: RegionId) {
        let ops = module.region(region).ops.clone();
        let mut declared = Vec::new();
        let mut of_next_loop: Option<OpId> = None;
        for (index, op) in ops.iter().copied().enumerate() {
            let mut of_this_loop = None;
            if let Some(local) = of_next_loop.filter(|_| AkariOp::of(module.op(op)) == Some(AkariOp::Loop)) {
                of_next_loop = None;
                of_this_loop = module.op(local).result.map(|value| self.variable(module, value));
            }
            for nested in module.op(op).regions.clone() {
                self.region(module, uses, nested);
            }
            if let Some(name) = of_this_loop {
                self.visible.remove(&name);
            }
            match AkariOp::of(module.op(op)) {
                Some(AkariOp::Local) if loop_variable(module, uses, op, &ops[index + 1..]).is_some() => {
                    of_next_loop = Some(op);
                }
                _ if module.op(op).def.traits.has(Traits::DECLARES) => {
                    if let Some(value) = module.op(op).result {
                        declared.push(self.variable(module, value));
                    }
                }
                _ => {}
            }
        }
        for name in declared {
            self.visible.remove(&name);
        }
    }

    /// Whether a variable may have the name of this global: the function at hand does not use it.
    fn may_be_hidden(&self, name: &str) -> bool {
        self.hideable.get(name).is_some_and(|global| !self.used.contains(global))
    }

    /// Names a variable, and gives the name.
    fn variable(&mut self, module: &mut Module, value: ValueId) -> String {
        let legal = match module.value(value).name {
            Some(name) => self.legal(module.text(name), Scope::Variable),
            None => "value".to_owned(),
        };
        let name = self.numbered(legal, |names, name| {
            names.visible.contains(name)
                || names.module.contains(name) && !names.may_be_hidden(name)
                || names.is_reserved(name, Scope::Variable)
        });
        self.visible.insert(name.clone());
        let symbol: Symbol = module.symbols.intern(&name);
        module.value_mut(value).name = Some(symbol);
        name
    }
}

/// The globals that a region uses.
fn used_globals(module: &Module, region: RegionId) -> FxHashSet<GlobalId> {
    let mut used = FxHashSet::default();
    walk(module, region, &mut |op| {
        let op = module.op(op);
        if matches!(AkariOp::of(op), Some(AkariOp::GlobalPlace | AkariOp::GlobalConst | AkariOp::Resource)) {
            used.insert(op.global(0));
        }
    });
    used
}

/// `_float3_uint` for parameters of these types.
fn overload_suffix(module: &Module, id: akari_ir::FuncId) -> String {
    let mut suffix = String::new();
    for param in &module.functions[id].params {
        let ty = module.value_type(param.value);
        let ty = module.types.as_place(ty).map_or(ty, |(_, pointee)| pointee);
        if let Some(name) = short_name(module, ty) {
            suffix.push('_');
            suffix.push_str(&name);
        }
    }
    suffix
}

fn short_name(module: &Module, ty: Type) -> Option<String> {
    use akari_ir::Scalar;
    let scalar_name = |scalar| match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "uint64",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
    };
    match module.kind(ty) {
        TypeKind::Scalar(scalar) => Some(scalar_name(scalar).to_owned()),
        TypeKind::Vector(scalar, width) => Some(format!("{}{width}", scalar_name(scalar))),
        TypeKind::Matrix { columns, rows } => Some(format!("float{columns}x{rows}")),
        TypeKind::Array(element, length) => short_name(module, element).map(|name| format!("{name}_{length}")),
        TypeKind::Struct(id) => Some(module.text(module.structs[id].name).to_owned()),
        _ => None,
    }
}
