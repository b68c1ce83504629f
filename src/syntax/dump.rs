//! The tree as compact text, for tests: lists in parentheses, every infix chain with its grouping.

use std::fmt::Write;

use super::ast::*;
use super::names::Names;

/// The whole file, an item a line.
pub(crate) fn file(names: &Names, file: &File<'_>) -> String {
    let mut dump = Dump { names, out: String::new() };
    dump.file(file);
    dump.out
}

struct Dump<'n> {
    names: &'n Names,
    out: String,
}

impl Dump<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, ident: Ident) {
        let text = self.names.text(ident.name).to_string();
        self.put(&text);
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(" ");
            }
            each(self, item);
        }
    }

    fn file(&mut self, file: &File<'_>) {
        if let Some(root) = file.root {
            let _ = write!(self.out, "{:?} ", root.kind);
            self.name(root.name);
            self.put("\n");
        }
        if let Some(version) = file.version {
            let _ = writeln!(self.out, "version {}", version.number);
        }
        if let Some(layout) = file.layout {
            self.put("layout ");
            self.name(layout);
            self.put("\n");
        }
        for (word, list) in [("import", file.imports), ("require", file.requires), ("lost", file.lost)] {
            if !list.is_empty() {
                self.put(word);
                for &name in list {
                    self.put(" ");
                    self.name(name);
                }
                self.put("\n");
            }
        }
        for item in file.items {
            self.item(item);
            self.put("\n");
        }
    }

    fn item(&mut self, item: &Item<'_>) {
        self.doc(item.doc);
        self.attributes(item.attributes);
        if item.private.is_some() {
            self.put("private ");
        }
        if !item.intact {
            self.put("partial ");
        }
        let word = match item.kind {
            ItemKind::Struct(_) => "struct ",
            ItemKind::Enum(_) => "enum ",
            ItemKind::Bitfield(_) => "bitfield ",
            ItemKind::Fn(_) => "fn ",
            ItemKind::Const(_) => "const ",
            ItemKind::Instance(_) => "instance ",
            ItemKind::Binding(_) => "binding ",
        };
        self.put(word);
        self.name(item.name);
        match &item.kind {
            ItemKind::Struct(fields) => {
                self.put(" {");
                for field in *fields {
                    self.put(" ");
                    self.doc(field.doc);
                    self.attributes(field.attributes);
                    self.name(field.name);
                    self.annotation(Some(field.ty));
                    self.value(field.default);
                    self.put(";");
                }
                self.put(" }");
            }
            ItemKind::Enum(kind) => {
                self.annotation(Some(kind.underlying));
                self.put(" {");
                for case in kind.cases {
                    self.put(" ");
                    self.doc(case.doc);
                    self.name(case.name);
                    self.value(case.value);
                    self.put(",");
                }
                self.put(" }");
            }
            ItemKind::Bitfield(kind) => {
                self.annotation(Some(kind.storage));
                self.put(" {");
                for field in kind.fields {
                    self.put(" ");
                    self.doc(field.doc);
                    self.name(field.name);
                    self.put(": ");
                    self.expr(field.width);
                    self.put(",");
                }
                self.put(" }");
            }
            ItemKind::Fn(function) => {
                self.put("(");
                self.list(function.params, |dump, param| dump.param(param));
                self.put(")");
                if let Some(result) = function.result {
                    self.put(" -> ");
                    self.ty(result);
                }
                self.put(" ");
                self.block(&function.body);
            }
            ItemKind::Const(constant) => {
                self.annotation(constant.ty);
                self.value(Some(constant.value));
            }
            ItemKind::Instance(instance) => {
                self.put(" = ");
                self.name(instance.template);
                self.args(instance.args);
            }
            ItemKind::Binding(binding) => self.annotation(binding.ty),
        }
    }

    fn doc(&mut self, doc: &[&str]) {
        for line in doc {
            let _ = write!(self.out, "/{line}/ ");
        }
    }

    fn attributes(&mut self, attributes: &[Attribute<'_>]) {
        for attribute in attributes {
            self.put("@");
            self.name(attribute.name);
            if let Some(args) = attribute.args {
                self.put("(");
                self.list(args, |dump, arg| {
                    if let Some(name) = arg.name {
                        dump.name(name);
                        dump.put("=");
                    }
                    match arg.value {
                        AttributeValue::Expr(expr) => dump.expr(expr),
                        AttributeValue::Tuple(elements) => {
                            dump.put("<");
                            dump.list(elements, |dump, element| dump.expr(element));
                            dump.put(">");
                        }
                    }
                });
                self.put(")");
            }
            self.put(" ");
        }
    }

    fn annotation(&mut self, ty: Option<&Type<'_>>) {
        if let Some(ty) = ty {
            self.put(": ");
            self.ty(ty);
        }
    }

    fn value(&mut self, value: Option<&Expr<'_>>) {
        if let Some(value) = value {
            self.put(" = ");
            self.expr(value);
        }
    }

    fn passing(&mut self, passing: Option<Passing>) {
        match passing.map(|passing| passing.kind) {
            Some(PassingKind::Ref) => self.put("ref "),
            Some(PassingKind::Inout) => self.put("inout "),
            None => {}
        }
    }

    fn param(&mut self, param: &Param<'_>) {
        self.attributes(param.attributes);
        if param.is_const.is_some() {
            self.put("const ");
        }
        self.name(param.name);
        if param.ty.is_some() {
            self.put(":");
        }
        self.passing(param.passing);
        if let Some(ty) = param.ty {
            self.ty(ty);
        }
        if param.optional.is_some() {
            self.put("?");
        }
        self.value(param.default);
    }

    fn ty(&mut self, ty: &Type<'_>) {
        match &ty.kind {
            TypeKind::Named { name, args } => {
                self.name(*name);
                if !args.is_empty() {
                    self.put("<");
                    self.list(args, |dump, arg| dump.ty(arg));
                    self.put(">");
                }
            }
            TypeKind::Array { element, length } => {
                self.put("(");
                self.ty(element);
                self.put(")[");
                self.expr(length);
                self.put("]");
            }
            TypeKind::Fn { params, result } => {
                self.put("fn(");
                self.list(params, |dump, param| {
                    dump.passing(param.passing);
                    dump.ty(param.ty);
                });
                self.put(")");
                if let Some(result) = result {
                    self.put("->");
                    self.ty(result);
                }
            }
        }
    }

    fn block(&mut self, block: &Block<'_>) {
        self.put("{ ");
        self.stmts(block.stmts);
        self.put("}");
    }

    fn stmts(&mut self, stmts: &[Stmt<'_>]) {
        for stmt in stmts {
            self.stmt(stmt);
            self.put("; ");
        }
    }

    fn stmt(&mut self, stmt: &Stmt<'_>) {
        self.attributes(stmt.attributes);
        match &stmt.kind {
            StmtKind::Local(local) => {
                self.put(match local.kind {
                    LocalKind::Let => "let ",
                    LocalKind::Var => "var ",
                    LocalKind::Const => "const ",
                });
                self.name(local.name);
                self.annotation(local.ty);
                self.value(local.init);
            }
            StmtKind::Ignore(value) => {
                self.put("ignore ");
                self.expr(value);
            }
            StmtKind::Assign(assign) => {
                self.expr(assign.target);
                self.put(" ");
                if let Some(op) = assign.op {
                    self.put(symbol(op));
                }
                self.put("= ");
                self.expr(assign.value);
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If(statement) => {
                for (index, arm) in statement.arms.iter().enumerate() {
                    self.put(if index == 0 { "if " } else { " elif " });
                    self.expr(arm.condition);
                    self.put(" ");
                    self.block(&arm.body);
                }
                if let Some(otherwise) = &statement.otherwise {
                    self.put(" else ");
                    self.block(otherwise);
                }
            }
            StmtKind::For(statement) => {
                self.put("for [");
                if let Some(init) = statement.init {
                    self.stmt(init);
                }
                self.put("; ");
                if let Some(condition) = statement.condition {
                    self.expr(condition);
                }
                self.put("; ");
                if let Some(step) = statement.step {
                    self.stmt(step);
                }
                self.put("] ");
                self.block(&statement.body);
            }
            StmtKind::While(statement) => {
                self.put("while ");
                self.expr(statement.condition);
                self.put(" ");
                self.block(&statement.body);
            }
            StmtKind::DoWhile(statement) => {
                self.put("do ");
                self.block(&statement.body);
                self.put(" while ");
                self.expr(statement.condition);
            }
            StmtKind::Switch(switch) => {
                self.put("switch ");
                self.expr(switch.value);
                self.put(" {");
                for case in switch.cases {
                    self.put(" [");
                    self.list(case.labels, |dump, label| match label.value {
                        Some(value) => dump.expr(value),
                        None => dump.put("default"),
                    });
                    self.put("] ");
                    self.stmts(case.stmts);
                }
                self.put("}");
            }
            StmtKind::Return(value) => {
                self.put("return");
                if let Some(value) = value {
                    self.put(" ");
                    self.expr(value);
                }
            }
            StmtKind::Break => self.put("break"),
            StmtKind::Continue => self.put("continue"),
            StmtKind::Discard => self.put("discard"),
            StmtKind::Block(block) => self.block(block),
        }
    }

    fn args(&mut self, args: &[Arg<'_>]) {
        self.put("(");
        self.list(args, |dump, arg| {
            if let Some(name) = arg.name {
                dump.name(name);
                dump.put(":");
            }
            dump.expr(arg.value);
        });
        self.put(")");
    }

    fn expr(&mut self, expr: &Expr<'_>) {
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let text = match literal {
                    Literal::Bool(value) => value.to_string(),
                    Literal::Int { value, suffix, .. } => format!(
                        "{value}{}",
                        match suffix {
                            IntSuffix::None => "",
                            IntSuffix::U => "u",
                            IntSuffix::Ul => "ul",
                        }
                    ),
                    Literal::Float { digits, suffix, .. } => format!(
                        "{digits}{}",
                        match suffix {
                            FloatSuffix::None => "",
                            FloatSuffix::H => "h",
                        }
                    ),
                };
                self.put(&text);
            }
            ExprKind::Name(name) => {
                let text = self.names.text(*name).to_string();
                self.put(&text);
            }
            ExprKind::None => self.put("none"),
            ExprKind::Unary { op, operand, .. } => {
                self.put(match op {
                    UnaryOp::Negate => "(-",
                    UnaryOp::Not => "(!",
                    UnaryOp::BitNot => "(~",
                });
                self.expr(operand);
                self.put(")");
            }
            ExprKind::IncDec { op, position, operand, .. } => {
                let sign = if *op == IncDecOp::Increment { "++" } else { "--" };
                self.put("(");
                if *position == IncDecPosition::Prefix {
                    self.put(sign);
                }
                self.expr(operand);
                if *position == IncDecPosition::Postfix {
                    self.put(sign);
                }
                self.put(")");
            }
            ExprKind::Infix { first, rest } => {
                self.put("(");
                self.expr(first);
                for operand in *rest {
                    self.put(" ");
                    self.put(symbol(operand.op));
                    self.put(" ");
                    self.expr(operand.operand);
                }
                self.put(")");
            }
            ExprKind::Conditional { condition, yes, no } => {
                self.put("(");
                self.expr(condition);
                self.put(" ? ");
                self.expr(yes);
                self.put(" : ");
                self.expr(no);
                self.put(")");
            }
            ExprKind::Cast { operand, ty } => {
                self.put("(");
                self.expr(operand);
                self.put(" as ");
                self.name(*ty);
                self.put(")");
            }
            ExprKind::Call { callee, args } => {
                self.expr(callee);
                self.args(args);
            }
            ExprKind::MethodCall { receiver, method, args } => {
                self.expr(receiver);
                self.put(".");
                self.name(*method);
                self.args(args);
            }
            ExprKind::Field { base, name } => {
                self.expr(base);
                self.put(".");
                self.name(*name);
            }
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.put("[");
                self.expr(index);
                self.put("]");
            }
            ExprKind::StructLiteral { name, fields, rest } => {
                self.name(*name);
                self.put("{");
                self.list(fields, |dump, field| {
                    dump.name(field.name);
                    dump.put(":");
                    dump.expr(field.value);
                });
                if let Some(rest) = rest {
                    self.put(" ..");
                    if let Some(base) = rest.base {
                        self.expr(base);
                    }
                }
                self.put("}");
            }
            ExprKind::ArrayList(elements) => {
                self.put("[");
                self.list(elements, |dump, element| dump.expr(element));
                self.put("]");
            }
            ExprKind::ArrayRepeat { value, count } => {
                self.put("[");
                self.expr(value);
                self.put("; ");
                self.expr(count);
                self.put("]");
            }
            ExprKind::Closure(closure) => {
                self.put("|");
                self.list(closure.params, |dump, param| dump.param(param));
                self.put("|");
                if let Some(result) = closure.result {
                    self.put("->");
                    self.ty(result);
                }
                self.put(" ");
                match &closure.body {
                    ClosureBody::Expr(expr) => self.expr(expr),
                    ClosureBody::Block(block) => self.block(block),
                }
            }
            ExprKind::SizeOf(ty) => {
                self.put("sizeof(");
                self.ty(ty);
                self.put(")");
            }
            ExprKind::OffsetOf { ty, path } => {
                self.put("offsetof(");
                self.ty(ty);
                for &name in *path {
                    self.put(" ");
                    self.name(name);
                }
                self.put(")");
            }
        }
    }
}

fn symbol(op: InfixOp) -> &'static str {
    match op {
        InfixOp::Or => "||",
        InfixOp::And => "&&",
        InfixOp::Equal => "==",
        InfixOp::NotEqual => "!=",
        InfixOp::Less => "<",
        InfixOp::LessEqual => "<=",
        InfixOp::Greater => ">",
        InfixOp::GreaterEqual => ">=",
        InfixOp::BitOr => "|",
        InfixOp::BitXor => "^",
        InfixOp::BitAnd => "&",
        InfixOp::ShiftLeft => "<<",
        InfixOp::ShiftRight => ">>",
        InfixOp::Add => "+",
        InfixOp::Sub => "-",
        InfixOp::Mul => "*",
        InfixOp::Div => "/",
        InfixOp::Rem => "%",
    }
}
