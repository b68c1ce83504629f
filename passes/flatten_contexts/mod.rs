//! `flatten-contexts`: contexts, which are structures that hold handles, become their parts.
//!
//! A parameter of context type becomes one parameter for each handle or value in it, called `<parameter>_<field>`, through
//! nested contexts too (`ctx_shadow_map`). Making a context and taking it apart leaves nothing behind: its parts were
//! computed where they stood, and stay there in their order. A structure without handles in a context is one part, whole.
//!
//! ```text
//! func @light(%ctx: @Lights, %i: u32) -> f32 {    →  func @light(%ctx_list: buf<f32>, %ctx_scale: f32, %i: u32) -> f32 {
//!   %1: buf<f32> = akari.extract %ctx {index: 0}
//!   …
//! %c: @Lights = akari.construct %list, %scale
//! %2: f32 = akari.call %c, %i {callee: @light}  →  %2: f32 = akari.call %list, %scale, %i {callee: @light}
//! ```

use akari_dialect::AkariOp;
use akari_ir::interface::ParamRole;
use akari_ir::module::ValueDef;
use akari_ir::{FuncId, Module, OpId, SecondaryMap, StructId, Symbol, Type, TypeKind, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct FlattenContexts;

impl Pass for FlattenContexts {
    const NAME: &'static str = "flatten-contexts";
    const SUMMARY: &'static str = "turn structures of handles into their parts";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let contexts = module.contexts();
        if !module.structs.ids().any(|id| *contexts.get(id)) {
            return Ok(Changed::No);
        }
        let mut parts = Parts { contexts, of: FxHashMap::default() };
        for func in module.functions.ids() {
            context.count("flattened parameters", parts.parameters(module, func));
        }
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |rewriter, op| parts.op(rewriter, op));
        Ok(Changed::Yes)
    }
}

/// The parts of each context there is.
struct Parts {
    contexts: SecondaryMap<StructId, bool>,
    of: FxHashMap<ValueId, SmallVec<[ValueId; 8]>>,
}

impl Parts {
    /// The structure that a context type is.
    fn context_type(&self, module: &Module, ty: Type) -> Option<StructId> {
        match module.kind(ty) {
            TypeKind::Struct(id) if *self.contexts.get(id) => Some(id),
            _ => None,
        }
    }

    /// How many parts one of the type has.
    fn count(&self, module: &Module, ty: Type) -> usize {
        match self.context_type(module, ty) {
            Some(id) => module.structs[id].fields.iter().map(|field| self.count(module, field.ty)).sum(),
            None => 1,
        }
    }

    /// The names and types of the parts of one called `name`.
    fn named_parts(
        &self,
        module: &mut Module,
        name: Option<Symbol>,
        ty: Type,
        parts: &mut Vec<(Option<Symbol>, Type)>,
    ) {
        let Some(id) = self.context_type(module, ty) else {
            parts.push((name, ty));
            return;
        };
        let fields: Vec<(Symbol, Type)> =
            module.structs[id].fields.iter().map(|field| (field.name, field.ty)).collect();
        for (field, ty) in fields {
            let name = name.map(|name| {
                let text = format!("{}_{}", module.text(name), module.text(field));
                module.symbols.intern(&text)
            });
            self.named_parts(module, name, ty, parts);
        }
    }

    /// Takes the contexts among the parameters of a function apart; gives how many there were.
    fn parameters(&mut self, module: &mut Module, func: FuncId) -> u64 {
        let params = &module.functions[func].params;
        if !params.iter().any(|param| self.context_type(module, module.value_type(param.value)).is_some()) {
            return 0;
        }
        let mut flattened = 0;
        for param in std::mem::take(&mut module.functions[func].params) {
            let value = module.value(param.value);
            let (name, ty) = (value.name, value.ty);
            if self.context_type(module, ty).is_none() {
                let index = module.functions[func].params.len() as u32;
                module.value_mut(param.value).def = ValueDef::Param(func, index);
                module.functions[func].params.push(param);
                continue;
            }
            flattened += 1;
            let mut named = Vec::new();
            self.named_parts(module, name, ty, &mut named);
            let mut parts = SmallVec::new();
            for (name, ty) in named {
                parts.push(module.add_param(func, name, ty, param.mode, ParamRole::Plain));
                if let Some(part) = module.functions[func].params.last_mut() {
                    (part.is_capture, part.loc) = (param.is_capture, param.loc);
                }
            }
            self.of.insert(param.value, parts);
        }
        flattened
    }

    /// The parts of values in order, of those that are no contexts themselves.
    fn all(&self, values: &[ValueId]) -> SmallVec<[ValueId; 8]> {
        let mut all = SmallVec::new();
        for value in values {
            match self.of.get(value) {
                Some(parts) => all.extend_from_slice(parts),
                None => all.push(*value),
            }
        }
        all
    }

    /// Parts that have no name are called after the context that was made of them, but for what says itself what it is.
    fn name(&self, module: &mut Module, context: ValueId, parts: &[ValueId]) {
        let value = module.value(context);
        let (name, ty) = (value.name, value.ty);
        if name.is_none() {
            return;
        }
        let mut named = Vec::new();
        self.named_parts(module, name, ty, &mut named);
        for (part, (name, _)) in parts.iter().zip(named) {
            let computed = module.defining_op(*part).is_some_and(|op| match AkariOp::of(module.op(op)) {
                // A table is declared under some name in any case.
                Some(AkariOp::Const) => matches!(module.value_kind(*part), TypeKind::Array(..) | TypeKind::Struct(_)),
                // What only says where something is reads best in its place.
                Some(
                    AkariOp::GlobalConst | AkariOp::Resource | AkariOp::Load | AkariOp::Extract | AkariOp::Swizzle,
                ) => false,
                _ => true,
            });
            if computed && module.value(*part).name.is_none() {
                module.value_mut(*part).name = name;
            }
        }
    }

    fn op(&mut self, rewriter: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let module = &mut *rewriter.module;
        let node = module.op(op);
        match AkariOp::of(node) {
            Some(AkariOp::Construct) => {
                let Some(result) =
                    node.result.filter(|result| self.context_type(module, module.value_type(*result)).is_some())
                else {
                    return Outcome::Keep;
                };
                let parts = self.all(&node.operands);
                self.name(module, result, &parts);
                self.of.insert(result, parts);
                Outcome::Remove
            }
            Some(AkariOp::Extract) => {
                let Some(parts) = self.of.get(&node.operands[0]) else { return Outcome::Keep };
                let (Some(id), Some(result)) =
                    (self.context_type(module, module.value_type(node.operands[0])), node.result)
                else {
                    return Outcome::Keep;
                };
                let index = node.int(0) as usize;
                let before = &module.structs[id].fields[..index];
                let first: usize = before.iter().map(|field| self.count(module, field.ty)).sum();
                let ty = module.value_type(result);
                if self.context_type(module, ty).is_none() {
                    return Outcome::Replace(parts[first]);
                }
                let parts = SmallVec::from_slice(&parts[first..first + self.count(module, ty)]);
                self.of.insert(result, parts);
                Outcome::Remove
            }
            Some(AkariOp::Call) => {
                if node.operands.iter().any(|operand| self.of.contains_key(operand)) {
                    let operands = self.all(&node.operands);
                    module.op_mut(op).operands = operands.into_iter().collect();
                    rewriter.changed = true;
                }
                Outcome::Keep
            }
            _ => Outcome::Keep,
        }
    }
}
