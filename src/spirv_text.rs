//! SPIR-V as text, for `--emit=spvasm` and for the tests of the emitter.

use std::collections::{HashMap, HashSet};

use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Module, Operand, load_bytes};
use rspirv::spirv::Op;

/// The text of a module in bytes, with ids named after what they are; none where the bytes are no module.
#[must_use]
pub fn disassemble(bytes: &[u8]) -> Option<String> {
    let module = load_bytes(bytes).ok()?;
    let names = Names::of(&module);
    let literals = literals(&module);
    let text = module.disassemble();
    let mut named = String::with_capacity(text.len());
    for line in text.lines() {
        let constant = line.strip_prefix('%').and_then(|rest| rest.split_once(" = OpConstant "));
        match constant.and_then(|(id, _)| literals.get(&id.parse().ok()?)) {
            Some((ty, literal)) => {
                let (id, _) = constant.unwrap_or_default();
                named.push_str(&names.in_line(&format!("%{id} = OpConstant %{ty} {literal}")));
            }
            None => named.push_str(&names.in_line(line)),
        }
        named.push('\n');
    }
    Some(named)
}

/// The constants that an assembler would not read back from what rspirv prints, with their types: 16-bit floats, and floats that
/// are no numbers. A hexadecimal float with an exponent beyond the largest stands for infinity and NaN.
fn literals(module: &Module) -> HashMap<u32, (u32, String)> {
    let mut widths = HashMap::new();
    let mut literals = HashMap::new();
    for instruction in &module.types_global_values {
        let Some(id) = instruction.result_id else { continue };
        match (instruction.class.opcode, instruction.result_type, instruction.operands.first()) {
            (Op::TypeFloat, _, Some(Operand::LiteralBit32(width))) => {
                widths.insert(id, *width);
            }
            (Op::Constant, Some(ty), Some(Operand::LiteralBit32(bits))) => {
                let special = |negative: bool, exponent: u32, mantissa: String| {
                    format!("{}0x1.{mantissa}p+{exponent}", if negative { "-" } else { "" })
                };
                let literal = match widths.get(&ty) {
                    Some(16) => {
                        let value = half::f16::from_bits(*bits as u16);
                        if value.is_finite() {
                            value.to_f32().to_string()
                        } else {
                            special(value.is_sign_negative(), 16, format!("{:03x}", (bits & 0x3ff) << 2))
                        }
                    }
                    Some(32) if !f32::from_bits(*bits).is_finite() => {
                        let value = f32::from_bits(*bits);
                        special(value.is_sign_negative(), 128, format!("{:06x}", (bits & 0x7f_ffff) << 1))
                    }
                    _ => continue,
                };
                literals.insert(id, (ty, literal));
            }
            _ => {}
        }
    }
    literals
}

/// The names of ids.
#[derive(Default)]
struct Names {
    names: HashMap<u32, String>,
    taken: HashSet<String>,
    unnamed: u32,
}

impl Names {
    fn of(module: &Module) -> Self {
        let mut names = Self::default();
        for instruction in &module.debug_names {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) =
                (instruction.class.opcode, &instruction.operands[..])
            {
                let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
                names.give(*id, name.chars().map(plain).collect());
            }
        }
        for instruction in module.all_inst_iter() {
            let Some(id) = instruction.result_id.filter(|id| !names.names.contains_key(id)) else { continue };
            let name = names.describe(instruction);
            match name {
                Some(name) => names.give(id, name),
                None => {
                    names.unnamed += 1;
                    let name = names.unnamed.to_string();
                    names.give(id, name);
                }
            }
        }
        names
    }

    fn give(&mut self, id: u32, name: String) {
        let mut unique = name.clone();
        let mut count = 0;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{count}");
            count += 1;
        }
        self.names.insert(id, unique);
    }

    fn name(&self, id: u32) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// The name of a type or of a scalar constant.
    fn describe(&self, instruction: &Instruction) -> Option<String> {
        let id = |index: usize| match instruction.operands.get(index) {
            Some(Operand::IdRef(id)) => self.name(*id),
            _ => String::new(),
        };
        let number = |index: usize| match instruction.operands.get(index) {
            Some(Operand::LiteralBit32(value)) => *value,
            _ => 0,
        };
        Some(match instruction.class.opcode {
            Op::TypeVoid => "void".to_owned(),
            Op::TypeBool => "bool".to_owned(),
            Op::TypeFloat if number(0) == 16 => "half".to_owned(),
            Op::TypeFloat => "float".to_owned(),
            Op::TypeInt => match (number(0), number(1)) {
                (32, 0) => "uint".to_owned(),
                (32, _) => "int".to_owned(),
                (width, sign) => format!("{}{width}", if sign == 0 { "uint" } else { "int" }),
            },
            Op::TypeVector => format!("v{}{}", number(1), id(0)),
            Op::TypeMatrix => format!("mat{}{}", number(1), id(0)),
            Op::TypePointer => match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => format!("ptr_{class:?}_{}", id(1)),
                _ => return None,
            },
            Op::ConstantTrue => "true".to_owned(),
            Op::ConstantFalse => "false".to_owned(),
            Op::Constant => {
                let ty = instruction.result_type.map(|ty| self.name(ty))?;
                match (ty.as_str(), instruction.operands.first()) {
                    ("int", Some(Operand::LiteralBit32(bits))) => format!("int_{}", *bits as i32).replace('-', "n"),
                    ("float", Some(Operand::LiteralBit32(bits))) => {
                        format!("float_{:?}", f32::from_bits(*bits)).replace('-', "n").replace(['.', '+'], "_")
                    }
                    ("half", Some(Operand::LiteralBit32(bits))) => {
                        format!("half_{:?}", half::f16::from_bits(*bits as u16))
                            .replace('-', "n")
                            .replace(['.', '+'], "_")
                    }
                    (ty, Some(Operand::LiteralBit32(bits))) => format!("{ty}_{bits}"),
                    (ty, Some(Operand::LiteralBit64(bits))) => format!("{ty}_{bits}"),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// A line with its ids named; what stands in quotes is left alone.
    fn in_line(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        for (index, part) in line.split('"').enumerate() {
            if index > 0 {
                out.push('"');
            }
            if index % 2 == 1 {
                out.push_str(part);
                continue;
            }
            let mut pieces = part.split('%');
            out.push_str(pieces.next().unwrap_or_default());
            for piece in pieces {
                let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                out.push('%');
                match piece[..digits].parse() {
                    Ok(id) => out.push_str(&self.name(id)),
                    Err(_) => out.push_str(&piece[..digits]),
                }
                out.push_str(&piece[digits..]);
            }
        }
        out
    }
}
