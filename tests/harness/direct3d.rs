//! Direct3D 12 has no device here. But its HLSL says what the Vulkan dialect says, but for where resources and varyings are bound: with
//! Vulkan's bindings in the place of registers, DXC makes SPIR-V of it that shows what the text means, down to the bytes of its buffers.

use std::collections::HashMap;

/// The Direct3D 12 text of an entry with what its Vulkan text, of the same names, says of bindings, locations and formats.
#[must_use]
pub fn with_vulkan_bindings(direct3d: &str, vulkan: &str) -> String {
    let attributes: HashMap<&str, &str> = vulkan
        .lines()
        .filter(|line| line.starts_with("[[vk::"))
        .filter_map(|line| {
            let (attributes, declaration) = line.split_at(line.rfind("]] ")? + 3);
            Some((declared(declaration), attributes))
        })
        .collect();
    let mut text = String::new();
    for line in direct3d.lines() {
        let blanks = line.len() - line.trim_start().len();
        if let Some((declaration, register)) = line.split_once(" : register(") {
            let after = register.split_once(')').map_or("", |(_, after)| after);
            let attributes = attributes.get(declared(declaration)).copied().unwrap_or_default();
            text.extend([attributes, declaration, after]);
        } else if let Some((_, location)) = line.split_once(" : TEXCOORD") {
            let location = location.trim_end_matches(';');
            text.extend([&line[..blanks], &format!("[[vk::location({location})]] "), &line[blanks..]]);
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

/// The name that a line declares.
fn declared(line: &str) -> &str {
    let name = line.trim_end_matches([' ', '{', ';']).rsplit(' ').next().unwrap_or(line);
    name.split('[').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::with_vulkan_bindings;

    #[test]
    fn registers_and_varyings_take_what_vulkan_says() {
        let vulkan = "\
            [[vk::binding(1, 3)]] Texture2D<float4> textures_2d[];\n\
            [[vk::binding(0, 1)]] [[vk::image_format(\"rg16f\")]] RWTexture2D<float2> mips[8];\n\
            [[vk::binding(2, 0)]] cbuffer time_buffer {\n    float time;\n}\n";
        let direct3d = "\
            Texture2D<float4> textures_2d[] : register(t0, space1);\n\
            RWTexture2D<float2> mips[8] : register(u3, space0);\n\
            cbuffer time_buffer : register(b1, space0) {\n    float time;\n}\n\
            struct V {\n    float4 p : SV_Position;\n    nointerpolation uint id : TEXCOORD2;\n};\n";
        let expected = "\
            [[vk::binding(1, 3)]] Texture2D<float4> textures_2d[];\n\
            [[vk::binding(0, 1)]] [[vk::image_format(\"rg16f\")]] RWTexture2D<float2> mips[8];\n\
            [[vk::binding(2, 0)]] cbuffer time_buffer {\n    float time;\n}\n\
            struct V {\n    float4 p : SV_Position;\n    [[vk::location(2)]] nointerpolation uint id : TEXCOORD2;\n};\n";
        assert_eq!(with_vulkan_bindings(direct3d, vulkan), expected);
    }
}
