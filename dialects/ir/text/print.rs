//! Printing modules, functions and operations.

use std::fmt::{self, Write};

use rustc_hash::FxHashMap;

use super::keywords::name_of;
use crate::entity::{Entity, FuncId, GlobalId, OpId, RegionId, SecondaryMap, StructId, Symbol, ValueId};
use crate::interface::Stage;
use crate::module::{GlobalKind, Module};
use crate::op::{Attr, AttrKind, OpDef};

/// The module's text.
#[must_use]
pub fn print_module(module: &Module) -> String {
    let mut printer = Printer::new(module);
    printer.whole_module();
    printer.out
}

/// One function's text, as it stands in the module's.
#[must_use]
pub fn print_function(module: &Module, func: FuncId) -> String {
    let mut printer = Printer::new(module);
    printer.function(func);
    printer.out
}

/// One operation's text without its regions' contents, for messages.
#[must_use]
pub fn print_op(module: &Module, op: OpId) -> String {
    let mut printer = Printer::new(module);
    printer.shallow = true;
    printer.op(op);
    printer.out.trim().to_owned()
}

pub(super) struct Printer<'m> {
    pub(super) module: &'m Module,
    pub(super) out: String,
    pub(super) struct_names: SecondaryMap<StructId, String>,
    global_names: SecondaryMap<GlobalId, String>,
    func_names: SecondaryMap<FuncId, String>,
    value_names: SecondaryMap<ValueId, Option<Box<str>>>,
    used_value_names: FxHashMap<Symbol, u32>,
    unnamed_values: u32,
    indent: usize,
    shallow: bool,
}

/// Names for the entities of one kind: `@name`, and `@name#1` … for the later ones of that name.
fn distinct_names<E: Entity>(module: &Module, named: impl Iterator<Item = (E, Symbol)>) -> SecondaryMap<E, String> {
    let mut seen: FxHashMap<Symbol, u32> = FxHashMap::default();
    let mut names = SecondaryMap::new();
    for (id, symbol) in named {
        let count = seen.entry(symbol).or_insert(0);
        let mut name = String::from("@");
        push_name(&mut name, module.text(symbol));
        if *count > 0 {
            let _ = write!(name, "#{count}");
        }
        *count += 1;
        names.set(id, name);
    }
    names
}

/// Whether a name can stand in the text without quotes.
pub(super) fn is_plain_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn push_name(out: &mut String, text: &str) {
    if is_plain_name(text) {
        out.push_str(text);
    } else {
        push_quoted(out, text);
    }
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out.push('"');
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            out: String::new(),
            struct_names: distinct_names(module, module.structs.iter().map(|(id, item)| (id, item.name))),
            global_names: distinct_names(module, module.globals.iter().map(|(id, item)| (id, item.name))),
            func_names: distinct_names(module, module.functions.iter().map(|(id, item)| (id, item.name))),
            value_names: SecondaryMap::new(),
            used_value_names: FxHashMap::default(),
            unnamed_values: 0,
            indent: 0,
            shallow: false,
        }
    }

    pub(super) fn write(&mut self, arguments: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn doc(&mut self, doc: Option<Symbol>) {
        if let Some(doc) = doc {
            self.out.push_str("doc ");
            push_quoted(&mut self.out, self.module.text(doc));
            self.out.push('\n');
        }
    }

    fn whole_module(&mut self) {
        let module = self.module;
        self.out.push_str("module ");
        push_quoted(&mut self.out, &module.name);
        self.out.push('\n');
        for varying in &module.varyings {
            let (location, scalar, width) = (varying.location, varying.scalar.name(), varying.width);
            self.write(format_args!("varying {location}: {scalar} {width}"));
            self.interpolation(varying.interpolation);
            self.out.push('\n');
        }
        for (id, item) in module.structs.iter() {
            self.out.push('\n');
            self.doc(item.doc);
            if item.packed {
                self.out.push_str("packed ");
            }
            let name = self.struct_names.get(id).clone();
            self.write(format_args!("struct {name} {{\n"));
            for field in &item.fields {
                self.out.push_str("  ");
                push_name(&mut self.out, module.text(field.name));
                self.out.push_str(": ");
                self.ty(field.ty);
                self.field_role(field.role);
                self.interpolation(field.interpolation);
                if let Some(location) = field.location {
                    self.write(format_args!(" location {location}"));
                }
                if let Some(offset) = field.offset {
                    self.write(format_args!(" offset {offset}"));
                }
                self.out.push('\n');
            }
            self.out.push_str("}\n");
        }
        if !module.globals.is_empty() {
            self.out.push('\n');
        }
        for id in module.globals.ids() {
            self.global(id);
        }
        for id in module.functions.ids() {
            self.out.push('\n');
            self.function(id);
        }
    }

    fn global(&mut self, id: GlobalId) {
        let module = self.module;
        let global = &module.globals[id];
        let name = self.global_names.get(id).clone();
        let keyword = match global.kind {
            GlobalKind::Constant(_) => "const",
            GlobalKind::Workgroup => "workgroup",
            GlobalKind::Resource { .. } => "resource",
        };
        self.write(format_args!("{keyword} {name}: "));
        self.ty(global.ty);
        match &global.kind {
            GlobalKind::Constant(value) => {
                self.out.push_str(" = ");
                self.constant(*value);
            }
            GlobalKind::Workgroup => {}
            GlobalKind::Resource { source, slot } => {
                self.binding_source(source);
                self.slot(*slot);
            }
        }
        self.out.push('\n');
    }

    fn function(&mut self, id: FuncId) {
        let module = self.module;
        let function = &module.functions[id];
        self.used_value_names.clear();
        self.unnamed_values = 0;
        self.doc(function.doc);
        if let Some(entry) = function.entry {
            self.out.push_str(name_of(&Stage::ALL, entry.stage));
            if entry.stage == Stage::Compute {
                let [x, y, z] = entry.threads;
                self.write(format_args!("({x}, {y}, {z})"));
            }
            self.out.push(' ');
        }
        if function.is_closure {
            self.out.push_str("closure ");
        }
        let name = self.func_names.get(id).clone();
        self.write(format_args!("func {name}("));
        for (index, param) in function.params.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.pass_mode(param.mode);
            self.define(param.value);
            self.param_role(&param.role);
            if param.is_capture {
                self.out.push_str(" capture");
            }
            self.slot(param.slot);
        }
        self.out.push(')');
        if let Some(result) = function.result {
            self.out.push_str(" -> ");
            self.ty(result);
            self.field_role(function.result_role);
        }
        self.out.push_str(" {\n");
        self.indent = 1;
        self.ops(function.body);
        self.indent = 0;
        self.out.push_str("}\n");
    }

    fn ops(&mut self, region: RegionId) {
        for op in &self.module.region(region).ops {
            self.op(*op);
        }
    }

    fn value_name(&mut self, value: ValueId) -> Box<str> {
        if let Some(name) = self.value_names.get(value) {
            return name.clone();
        }
        let hint = self.module.value(value).name.filter(|symbol| is_plain_name(self.module.text(*symbol)));
        let name: Box<str> = match hint {
            Some(symbol) => {
                let count = self.used_value_names.entry(symbol).or_insert(0);
                *count += 1;
                match *count {
                    1 => self.module.text(symbol).into(),
                    more => format!("{}.{}", self.module.text(symbol), more - 1).into(),
                }
            }
            None => {
                self.unnamed_values += 1;
                (self.unnamed_values - 1).to_string().into()
            }
        };
        self.value_names.set(value, Some(name.clone()));
        name
    }

    fn define(&mut self, value: ValueId) {
        let name = self.value_name(value);
        self.write(format_args!("%{name}: "));
        self.ty(self.module.value_type(value));
    }

    fn op(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        self.line_start();
        if let Some(result) = op.result {
            self.define(result);
            self.out.push_str(" = ");
        }
        self.write(format_args!("{}.{}", op.def.dialect, op.def.name));
        for (index, operand) in op.operands.iter().enumerate() {
            self.out.push_str(if index == 0 { " " } else { ", " });
            let name = self.value_name(*operand);
            self.write(format_args!("%{name}"));
        }
        self.attrs(op.def, &op.attrs);
        for (index, region) in op.regions.iter().enumerate() {
            let name = op.def.regions.get(index).or(op.def.regions.last()).map_or("region", |name| *name);
            self.write(format_args!(" {} {{", name.trim_end_matches('*')));
            if self.shallow {
                self.out.push_str(" … }");
                continue;
            }
            self.out.push('\n');
            self.indent += 1;
            self.ops(*region);
            self.indent -= 1;
            self.line_start();
            self.out.push('}');
        }
        self.out.push('\n');
    }

    pub(super) fn attrs(&mut self, def: &OpDef, attrs: &[Attr]) {
        if attrs.is_empty() {
            return;
        }
        self.out.push_str(" {");
        for (index, attr) in attrs.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            let slot = def.attrs.get(index);
            self.write(format_args!("{}: ", slot.map_or("?", |slot| slot.name)));
            self.attr(attr, slot.map(|slot| slot.kind));
        }
        self.out.push('}');
    }

    fn attr(&mut self, attr: &Attr, kind: Option<AttrKind>) {
        match attr {
            Attr::Int(value) => self.write(format_args!("{value}")),
            Attr::Bool(value) => self.write(format_args!("{value}")),
            Attr::Type(ty) => self.ty(*ty),
            Attr::Const(constant) => self.typed_constant(*constant),
            Attr::Symbol(symbol) => push_quoted(&mut self.out, self.module.text(*symbol)),
            Attr::Func(func) => {
                let name = self.func_names.get(*func).clone();
                self.out.push_str(&name);
            }
            Attr::Global(global) => {
                let name = self.global_names.get(*global).clone();
                self.out.push_str(&name);
            }
            Attr::Struct(id) => {
                let name = self.struct_names.get(*id).clone();
                self.out.push_str(&name);
            }
            Attr::Enum(index) => match kind {
                Some(AttrKind::Enum(def)) => {
                    self.out.push_str(def.values.get(usize::from(*index)).copied().unwrap_or("?"));
                }
                _ => self.write(format_args!("{index}")),
            },
            Attr::Ints(values) => {
                self.out.push('[');
                for (index, value) in values.iter().enumerate() {
                    self.write(format_args!("{}{value}", if index == 0 { "" } else { ", " }));
                }
                self.out.push(']');
            }
        }
    }
}
