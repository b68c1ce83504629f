//! Vectors, matrices, arrays and structs, whose value every backend must agree on as [`super::expressions`] has it.

use super::Program;
use super::expressions::Use;
use super::types::{FLOAT, Scalar, Type, UINT};

impl Program {
    pub(super) fn vector(&mut self, scalar: Scalar, width: usize, depth: usize) -> String {
        match self.random.below(8) {
            0 | 1 => self.construct(scalar, width, depth),
            2 => {
                let wide = 2 + self.random.below(3);
                let of = self.expression(&Type::Vector(scalar, wide), depth);
                format!("{of}.{}", self.components(wide, width, false))
            }
            3 if scalar == Scalar::Float => {
                // Sums of products of small whole numbers are exact in any order.
                let columns = 2 + self.random.below(3);
                let rows = width;
                let parts: Vec<_> = (0..columns * rows).map(|_| self.small(depth.min(1))).collect();
                let matrix = format!("float{columns}x{rows}({})", parts.join(", "));
                if self.random.chance(50) {
                    let parts: Vec<_> = (0..columns).map(|_| self.small(depth.min(1))).collect();
                    let vector = format!("float{columns}({})", parts.join(", "));
                    if self.random.chance(50) {
                        format!("({matrix} * {vector})")
                    } else {
                        format!("mul({matrix}, {vector})")
                    }
                } else {
                    let parts: Vec<_> = (0..columns).map(|_| self.small(depth.min(1))).collect();
                    let vector = format!("float{columns}({})", parts.join(", "));
                    format!("({vector} * transpose({matrix}))")
                }
            }
            4 => match self.lifted(scalar, width, depth) {
                Some(call) => call,
                None => self.construct(scalar, width, depth),
            },
            5 => {
                let condition = self.expression(&Type::Vector(Scalar::Bool, width), depth);
                let ty = Type::Vector(scalar, width);
                let (yes, no) = (self.expression(&ty, depth), self.expression(&ty, depth));
                format!("({condition} ? {yes} : {no})")
            }
            _ => self.number(scalar, Some(width), depth),
        }
    }

    /// A small whole float.
    fn small(&mut self, depth: usize) -> String {
        if self.random.chance(50) {
            return self.random.pick(&["1.0", "2.0", "(-3.0)", "0.0"]).to_owned();
        }
        format!("float(int({} & 15u) - 8)", self.expression(&UINT, depth))
    }

    fn construct(&mut self, scalar: Scalar, width: usize, depth: usize) -> String {
        let mut parts = Vec::new();
        let mut rest = width;
        while rest > 0 {
            let part = 1 + self.random.below(rest.min(3));
            // A vector alone would be a conversion.
            if part == 1 || part == width {
                parts.push(self.expression(&Type::Scalar(scalar), depth));
                rest -= 1;
            } else {
                parts.push(self.expression(&Type::Vector(scalar, part), depth));
                rest -= part;
            }
        }
        format!("{}{width}({})", scalar.name(), parts.join(", "))
    }

    pub(super) fn matrix(&mut self, columns: usize, rows: usize, depth: usize) -> String {
        let ty = Type::Matrix(columns, rows);
        match self.random.below(8) {
            0 | 1 => {
                let operator = self.random.pick(&["+", "-"]);
                let (a, b) = (self.expression(&ty, depth), self.expression(&ty, depth));
                format!("({a} {operator} {b})")
            }
            2 => {
                let (a, b) = (self.expression(&ty, depth), self.expression(&FLOAT, depth));
                if self.random.chance(50) { format!("({a} * {b})") } else { format!("({b} * {a})") }
            }
            3 => {
                let other = self.expression(&Type::Matrix(rows, columns), depth);
                format!("transpose({other})")
            }
            4 if columns == rows => format!("float{columns}x{rows}({})", self.expression(&FLOAT, depth)),
            5 => {
                let inner = 2 + self.random.below(3);
                let left: Vec<_> = (0..inner * rows).map(|_| self.small(0)).collect();
                let right: Vec<_> = (0..columns * inner).map(|_| self.small(0)).collect();
                format!("(float{inner}x{rows}({}) * float{columns}x{inner}({}))", left.join(", "), right.join(", "))
            }
            _ => {
                let parts: Vec<_> =
                    (0..columns).map(|_| self.expression(&Type::Vector(Scalar::Float, rows), depth.min(1))).collect();
                format!("float{columns}x{rows}({})", parts.join(", "))
            }
        }
    }

    pub(super) fn composite(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Array(element, length) if *length > 8 => format!("[{}; {length}]", self.expression(element, depth)),
            Type::Array(element, length) => {
                let parts: Vec<_> = (0..*length).map(|_| self.expression(element, depth.min(1))).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Struct(number) => {
                let structure = self.types.structs[*number].clone();
                let kind = self.random.below(4);
                let mut fields = Vec::new();
                for (name, ty) in &structure.fields {
                    if kind < 2 || self.random.chance(60) {
                        let value = self.expression(ty, depth.min(1));
                        fields.push(if kind == 0 { value } else { format!("{name}: {value}") });
                    }
                }
                match kind {
                    0 => return format!("{}({})", structure.name, fields.join(", ")),
                    1 => {}
                    2 => fields.push("..".to_owned()),
                    _ => {
                        let base = self.place(ty, Use::Read, depth);
                        let base = base.unwrap_or_else(|| self.constant(ty));
                        fields.push(format!("..{base}"));
                    }
                }
                format!("{} {{ {} }}", structure.name, fields.join(", "))
            }
            Type::Bitfield => {
                let bits = self.types.bits.clone();
                let mut fields = Vec::new();
                for (name, _) in &bits {
                    if self.random.chance(60) {
                        fields.push(format!("{name}: {}", self.expression(&UINT, depth)));
                    }
                }
                if self.random.chance(20) {
                    return format!("({} as {})", self.expression(&UINT, depth), self.types.bitfield);
                }
                fields.push("..".to_owned());
                format!("{} {{ {} }}", self.types.bitfield, fields.join(", "))
            }
            _ => self.leaf(ty),
        }
    }
}
