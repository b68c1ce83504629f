//! `check-entries`: what an entry reaches must be there in its stage, and fit.
//!
//! It changes nothing. For each entry it looks at the operations of all functions that the entry reaches: those that a capability
//! or a stage is needed for, the groupshared variables that they declare, and the raw slots of the entry's resources. It runs when
//! instances are made and bindings are given out, so that what was folded away does not count, and what is in an instance is
//! told with the instance.

mod atomics;
pub mod codes;

use std::rc::Rc;

use akari_dialect::{AkariOp, Builtin, Capability, Signature};
use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_ir::interface::{BindingSource, ParamRole, Stage};
use akari_ir::module::GlobalKind;
use akari_ir::{Code, Diagnostic, Entity, FuncId, GlobalId, Module, Note, OpId, Param, Span, listed};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::analysis::walk::operations;
use crate::assign_slots::{Shape, first_overlaps};
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::specialize::chain::{with_chain, with_instances};
use crate::strip::entries;

/// Bytes of groupshared memory that every device offers.
const GROUPSHARED_LIMIT: u64 = 32768;

/// See the module.
pub struct CheckEntries;

impl Pass for CheckEntries {
    const NAME: &'static str = "check-entries";
    const SUMMARY: &'static str = "check that what entries reach is there in their stages";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut check = Check {
            module,
            facts: vec![None; module.functions.len()],
            layouts: Layouts::new(),
            callers: FxHashMap::default(),
            found: Vec::new(),
        };
        let mut reached: IndexSet<FuncId, FxBuildHasher> = IndexSet::default();
        for entry in entries(module) {
            reached.extend(check.entry(entry));
        }
        check.lent_to_atomics(&reached.into_iter().collect::<Vec<_>>());
        let failed = !check.found.is_empty();
        context.diagnostics.extend(check.found);
        if failed { Err(Failed) } else { Ok(Changed::No) }
    }
}

/// What an operation needs of the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Capability(Capability),
    Fragment,
}

impl Need {
    fn stages(self) -> &'static [Stage] {
        match self {
            Self::Capability(capability) => capability.stages(),
            Self::Fragment => &[Stage::Fragment],
        }
    }
}

/// An operation that not every stage has.
#[derive(Clone, Debug)]
struct Use {
    what: String,
    need: Need,
    at: Option<Span>,
}

/// Groupshared variables, in the order in which they are named first.
type Variables = IndexSet<GlobalId, FxBuildHasher>;

/// What of a function matters to the entries that reach it.
#[derive(Clone, Debug, Default)]
struct Facts {
    uses: Vec<Use>,
    /// The groupshared variables that it names.
    groupshared: Variables,
    /// What it calls, and where.
    callees: Vec<(FuncId, Option<Span>)>,
}

struct Check<'m> {
    module: &'m Module,
    /// What is known of each function, once it has been looked into.
    facts: Vec<Option<Rc<Facts>>>,
    layouts: Layouts,
    /// By whom and where the functions that the current entry reaches are called first.
    callers: FxHashMap<FuncId, (FuncId, Option<Span>)>,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    /// Checks an entry, and gives the functions that it reaches, itself the first.
    fn entry(&mut self, entry: FuncId) -> Vec<FuncId> {
        let Some(stage) = self.module.functions[entry].entry.map(|entry| entry.stage) else { return Vec::new() };
        self.callers.clear();
        let mut order = vec![entry];
        let mut groupshared = Variables::default();
        // What the entry reaches by way of others is told once for each need.
        let mut told: Vec<Need> = Vec::new();
        let mut next = 0;
        while let Some(func) = order.get(next).copied() {
            next += 1;
            let facts = self.facts(func);
            for used in &facts.uses {
                self.used(entry, stage, func, used, &mut told);
            }
            groupshared.extend(&facts.groupshared);
            for (callee, at) in &facts.callees {
                if *callee != entry && !self.callers.contains_key(callee) {
                    self.callers.insert(*callee, (func, *at));
                    order.push(*callee);
                }
            }
        }
        self.groupshared(entry, &groupshared);
        self.slots(entry);
        order
    }

    fn facts(&mut self, func: FuncId) -> Rc<Facts> {
        let module = self.module;
        Rc::clone(self.facts[func.index()].get_or_insert_with(|| Rc::new(facts(module, func))))
    }

    fn name(&self, func: FuncId) -> &str {
        self.module.text(self.module.functions[func].name)
    }

    /// An error about something in `func`, which may be an instance.
    fn error(&mut self, func: FuncId, code: Code, span: Option<Span>, message: String, notes: Vec<Note>) {
        let diagnostic = Diagnostic { notes, ..Diagnostic::error(code, span, message) };
        self.found.push(with_instances(self.module, func, diagnostic));
    }

    /// An error about something in `func`, with the instances on the way to it from the current entry.
    fn error_on_the_way(&mut self, func: FuncId, code: Code, span: Option<Span>, message: String, notes: Vec<Note>) {
        let diagnostic = Diagnostic { notes, ..Diagnostic::error(code, span, message) };
        let mut chain = Vec::new();
        let mut next = Some(func);
        while let Some(func) = next {
            let caller = self.callers.get(&func);
            if let Some(requested) = self.module.functions[func].requested {
                // A named instance was asked for by its name.
                let call = caller.and_then(|(_, at)| *at).filter(|_| requested.by.is_some());
                chain.push((func, call.or(requested.at)));
            }
            next = caller.map(|(caller, _)| *caller);
        }
        self.found.push(with_chain(self.module, &chain, diagnostic));
    }

    /// An operation that the stage does not have is told where it stands in the entry itself, else at the entry.
    fn used(&mut self, entry: FuncId, stage: Stage, func: FuncId, used: &Use, told: &mut Vec<Need>) {
        let stages = used.need.stages();
        let direct = entry == func;
        if stages.contains(&stage) || !direct && told.contains(&used.need) {
            return;
        }
        told.push(used.need);
        let allowed: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
        let needs = match used.need {
            Need::Capability(capability) => format!(" (capability `{}`)", capability.name()),
            Need::Fragment => String::new(),
        };
        let (what, allowed) = (&used.what, listed(&allowed));
        let (at, message, notes) = if direct {
            (used.at, format!("`{what}` is for {allowed} entries only{needs}"), Vec::new())
        } else {
            let message = format!(
                "the {} entry `{}` reaches `{what}`, which is for {allowed} entries only{needs}",
                stage.name(),
                self.name(entry),
            );
            let note = Note { message: format!("`{what}` stands here"), span: used.at };
            (self.module.functions[entry].loc, message, vec![note])
        };
        self.error_on_the_way(func, codes::STAGE, at, message, notes);
    }

    fn groupshared(&mut self, entry: FuncId, variables: &Variables) {
        let sizes: Vec<u32> = variables
            .iter()
            .map(|variable| {
                let ty = self.module.globals[*variable].ty;
                self.layouts.of(self.module, ty, Packing::Storage).map_or(u32::MAX, |layout| layout.size)
            })
            .collect();
        let total: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
        if total <= GROUPSHARED_LIMIT {
            return;
        }
        let message = format!(
            "the entry `{}` has {total} bytes of groupshared memory, more than {GROUPSHARED_LIMIT}",
            self.name(entry)
        );
        let notes = variables.iter().zip(sizes).map(|(variable, size)| Note {
            message: format!("{size} bytes"),
            span: self.module.globals[*variable].loc,
        });
        let notes = notes.collect();
        self.error(entry, codes::GROUPSHARED_SIZE, self.module.functions[entry].loc, message, notes);
    }

    /// Raw slots of one class that two resources share: Metal and Vulkan count by class, whatever Direct3D does.
    fn slots(&mut self, entry: FuncId) {
        let module = self.module;
        let slots: Vec<RawSlots> =
            module.functions[entry].params.iter().filter_map(|param| RawSlots::of(module, param)).collect();
        let ranges: Vec<_> = slots
            .iter()
            .map(|slots| vec![(slots.namespace, slots.first..slots.first.saturating_add(slots.length))])
            .collect();
        for (slots_of_this, other) in slots.iter().zip(first_overlaps(&ranges, |_, _| false)) {
            let Some(other) = other.map(|other| &slots[other]) else { continue };
            let slot = slots_of_this.first.max(other.first);
            let message = format!("`{}` and `{}` are both in slot {slot}", other.name, slots_of_this.name);
            let note = Note { message: "the other one".to_owned(), span: other.at };
            self.error(entry, codes::BAD_ENTRY, slots_of_this.at, message, vec![note]);
        }
    }
}

/// The slots that a resource takes by `@slot(N)`.
struct RawSlots<'m> {
    name: &'m str,
    namespace: &'static str,
    first: u32,
    length: u32,
    at: Option<Span>,
}

impl<'m> RawSlots<'m> {
    fn of(module: &'m Module, param: &Param) -> Option<Self> {
        let ParamRole::Resource(BindingSource::Slot(first)) = param.role else { return None };
        let shape = Shape::of(&module.types, module.value_kind(param.value))?;
        let name = module.value(param.value).name.map_or("", |name| module.text(name));
        Some(Self { name, namespace: shape.class.metal_attribute(), first, length: shape.length, at: param.loc })
    }
}

/// Looks into a function.
fn facts(module: &Module, func: FuncId) -> Facts {
    let mut facts = Facts::default();
    for id in operations(module, func) {
        let op = module.op(id);
        match AkariOp::of(op) {
            Some(AkariOp::Call) => facts.callees.push((op.func(0), op.loc)),
            Some(AkariOp::Discard) => {
                facts.uses.push(Use { what: "discard".to_owned(), need: Need::Fragment, at: op.loc });
            }
            Some(AkariOp::Builtin) => facts.uses.extend(use_of_builtin(module, id)),
            Some(AkariOp::GlobalPlace) => {
                let variable = op.global(0);
                let is_shared = module.globals[variable].kind == GlobalKind::Workgroup;
                // The first is its declaration.
                if is_shared && facts.groupshared.insert(variable) {
                    let need = Need::Capability(Capability::Threadgroup);
                    facts.uses.push(Use { what: "@groupshared".to_owned(), need, at: op.loc });
                }
            }
            _ => {}
        }
    }
    facts
}

fn use_of_builtin(module: &Module, op: OpId) -> Option<Use> {
    let op = module.op(op);
    let builtin = Builtin::from_index(op.enumerated(0));
    let capability = builtin.def().capability?;
    let what = match builtin.def().signature {
        Signature::Texture => builtin.name().replacen("texture_", ".", 1),
        Signature::Function { .. } | Signature::Atomic { .. } => builtin.name().to_owned(),
    };
    Some(Use { what, need: Need::Capability(capability), at: op.loc })
}
