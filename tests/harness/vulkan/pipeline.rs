//! Descriptor sets and pipelines of one job.

#![allow(unsafe_code, reason = "Vulkan is a C interface")]

use std::ffi::CString;

use ash::vk;

use super::Module;
use super::device::during;
use super::resources::{Buffer, Handle, Picture, Scratch, format};
use crate::job::{Slot, Stage};
use crate::texel::TexelFormat;

/// What a descriptor points to.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    UniformBuffer(Buffer),
    StorageBuffer(Buffer),
    Texture(Picture),
    StorageTexture(Picture),
    Sampler(vk::Sampler),
    Scene(vk::AccelerationStructureKHR),
}

impl Bound {
    const fn kind(self) -> vk::DescriptorType {
        match self {
            Self::UniformBuffer(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Self::StorageBuffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Self::Texture(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Self::StorageTexture(_) => vk::DescriptorType::STORAGE_IMAGE,
            Self::Sampler(_) => vk::DescriptorType::SAMPLER,
            Self::Scene(_) => vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
        }
    }
}

/// A binding with what its descriptors point to.
pub(super) struct Binding {
    slot: Slot,
    kind: vk::DescriptorType,
    /// How many descriptors it has.
    count: u32,
    /// The descriptors that point to something, by their number in the binding.
    elements: Vec<(u32, Bound)>,
}

impl Binding {
    /// A binding of one descriptor.
    pub(super) fn one(slot: Slot, what: Bound) -> Self {
        Self { slot, kind: what.kind(), count: 1, elements: vec![(0, what)] }
    }

    /// An array of descriptors, up to the last that points to something.
    pub(super) fn array(slot: Slot, kind: vk::DescriptorType, elements: Vec<(u32, Bound)>) -> Self {
        let count = elements.iter().map(|(index, _)| index + 1).max().unwrap_or(1);
        Self { slot, kind, count, elements }
    }

    /// Adds the descriptor of another element of the array at `slot`, if that is this binding.
    pub(super) fn extend(&mut self, slot: Slot, what: Bound) -> bool {
        let is_other_element = (self.slot.set, self.slot.binding) == (slot.set, slot.binding) && slot.element > 0;
        if is_other_element {
            self.count = self.count.max(slot.element + 1);
            self.elements.push((slot.element, what));
        }
        is_other_element
    }

    /// Whether some descriptors point to nothing.
    fn has_holes(&self) -> bool {
        self.elements.len() < self.count as usize
    }
}

/// All descriptor sets of a job, and the layout that pipelines share.
pub(super) struct Descriptors {
    pub(super) layout: vk::PipelineLayout,
    pub(super) sets: Vec<vk::DescriptorSet>,
}

impl Descriptors {
    pub(super) fn new(scratch: &Scratch<'_>, bound: &[Binding], stages: vk::ShaderStageFlags) -> Result<Self, String> {
        let device = &scratch.device.raw;
        let set_count = bound.iter().map(|binding| binding.slot.set + 1).max().unwrap_or(0);
        let mut layouts = Vec::new();
        for set in 0..set_count {
            let in_set = || bound.iter().filter(|binding| binding.slot.set == set);
            let bindings: Vec<_> = in_set()
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding.slot.binding)
                        .descriptor_type(binding.kind)
                        .descriptor_count(binding.count)
                        .stage_flags(stages)
                })
                .collect();
            let flags: Vec<_> = in_set()
                .map(|binding| match binding.has_holes() {
                    true => vk::DescriptorBindingFlags::PARTIALLY_BOUND,
                    false => vk::DescriptorBindingFlags::empty(),
                })
                .collect();
            let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut flags);
            // SAFETY: the device is alive, here and in every call below; each handle is used while its scratch list still owns it.
            let layout =
                during("vkCreateDescriptorSetLayout", unsafe { device.create_descriptor_set_layout(&create, None) })?;
            scratch.own(Handle::SetLayout(layout));
            layouts.push(layout);
        }
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        // SAFETY: as above.
        let layout = during("vkCreatePipelineLayout", unsafe { device.create_pipeline_layout(&create, None) })?;
        scratch.own(Handle::PipelineLayout(layout));
        if layouts.is_empty() {
            return Ok(Self { layout, sets: Vec::new() });
        }

        let sizes: Vec<_> = bound
            .iter()
            .map(|binding| vk::DescriptorPoolSize::default().ty(binding.kind).descriptor_count(binding.count))
            .collect();
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(set_count).pool_sizes(&sizes);
        // SAFETY: as above.
        let pool = during("vkCreateDescriptorPool", unsafe { device.create_descriptor_pool(&create, None) })?;
        scratch.own(Handle::DescriptorPool(pool));
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: as above.
        let sets = during("vkAllocateDescriptorSets", unsafe { device.allocate_descriptor_sets(&allocate) })?;
        for binding in bound {
            for (element, what) in &binding.elements {
                write_descriptor(scratch, sets[binding.slot.set as usize], binding.slot.binding, *element, *what);
            }
        }
        Ok(Self { layout, sets })
    }
}

fn write_descriptor(scratch: &Scratch<'_>, set: vk::DescriptorSet, binding: u32, element: u32, what: Bound) {
    let buffer_info = |buffer: Buffer| [vk::DescriptorBufferInfo::default().buffer(buffer.raw).range(vk::WHOLE_SIZE)];
    let image_info =
        |picture: Picture, layout| [vk::DescriptorImageInfo::default().image_view(picture.view).image_layout(layout)];
    let (buffers, images, structures);
    let mut scene;
    let write = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(binding)
        .dst_array_element(element)
        .descriptor_type(what.kind());
    let write = match what {
        Bound::UniformBuffer(buffer) | Bound::StorageBuffer(buffer) => {
            buffers = buffer_info(buffer);
            write.buffer_info(&buffers)
        }
        Bound::Texture(picture) => {
            images = image_info(picture, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
            write.image_info(&images)
        }
        Bound::StorageTexture(picture) => {
            images = image_info(picture, vk::ImageLayout::GENERAL);
            write.image_info(&images)
        }
        Bound::Sampler(sampler) => {
            images = [vk::DescriptorImageInfo::default().sampler(sampler)];
            write.image_info(&images)
        }
        Bound::Scene(structure) => {
            structures = [structure];
            scene = vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&structures);
            write.descriptor_count(1).push_next(&mut scene)
        }
    };
    // SAFETY: the device, the set and what it is to point to are alive.
    unsafe { scratch.device.raw.update_descriptor_sets(&[write], &[]) };
}

/// A stage of a pipeline, with the name that Vulkan reads.
struct StageCode {
    module: vk::ShaderModule,
    entry: CString,
    stage: vk::ShaderStageFlags,
}

impl StageCode {
    fn find(scratch: &Scratch<'_>, modules: &[Module], stage: Stage, entry: &str) -> Result<Self, String> {
        let module = modules.iter().find(|module| module.stage == stage && module.entry == entry);
        let module = module.ok_or_else(|| format!("no module for the {stage:?} entry `{entry}`"))?;
        let create = vk::ShaderModuleCreateInfo::default().code(&module.words);
        // SAFETY: the device is alive; the validation layer checks the code before the driver sees it.
        let raw = during("vkCreateShaderModule", unsafe { scratch.device.raw.create_shader_module(&create, None) })?;
        scratch.own(Handle::ShaderModule(raw));
        let stage = match stage {
            Stage::Vertex => vk::ShaderStageFlags::VERTEX,
            Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
            Stage::Compute => vk::ShaderStageFlags::COMPUTE,
        };
        Ok(Self { module: raw, entry: CString::new(entry).map_err(|error| error.to_string())?, stage })
    }

    fn create_info(&self) -> vk::PipelineShaderStageCreateInfo<'_> {
        vk::PipelineShaderStageCreateInfo::default().stage(self.stage).module(self.module).name(&self.entry)
    }
}

/// The pipeline of a compute entry.
pub(super) fn compute_pipeline(
    scratch: &Scratch<'_>,
    modules: &[Module],
    entry: &str,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, String> {
    let code = StageCode::find(scratch, modules, Stage::Compute, entry)?;
    let create = vk::ComputePipelineCreateInfo::default().stage(code.create_info()).layout(layout);
    // SAFETY: the device and everything that `create` names are alive.
    let made = unsafe { scratch.device.raw.create_compute_pipelines(vk::PipelineCache::null(), &[create], None) };
    let pipeline = during("vkCreateComputePipelines", made.map_err(|(_, error)| error))?[0];
    scratch.own(Handle::Pipeline(pipeline));
    Ok(pipeline)
}

/// What a draw pipeline is made for.
pub(super) struct Draw<'a> {
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) size: [u32; 2],
    pub(super) render_pass: vk::RenderPass,
    pub(super) target_count: usize,
}

/// The pipeline of a vertex and a fragment entry: triangles, no culling, no depth, no blending.
pub(super) fn draw_pipeline(
    scratch: &Scratch<'_>,
    modules: &[Module],
    draw: &Draw<'_>,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, String> {
    let codes = [
        StageCode::find(scratch, modules, Stage::Vertex, draw.vertex)?,
        StageCode::find(scratch, modules, Stage::Fragment, draw.fragment)?,
    ];
    let stages = codes.each_ref().map(StageCode::create_info);
    let [width, height] = draw.size;
    let viewports =
        [vk::Viewport { x: 0.0, y: 0.0, width: width as f32, height: height as f32, min_depth: 0.0, max_depth: 1.0 }];
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } }];
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(vk::PolygonMode::FILL)
        .cull_mode(vk::CullModeFlags::NONE)
        .front_face(vk::FrontFace::CLOCKWISE)
        .line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let attachments = vec![
        vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA);
        draw.target_count
    ];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    let create = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(draw.render_pass);
    // SAFETY: the device and everything that `create` names are alive.
    let made = unsafe { scratch.device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
    let pipeline = during("vkCreateGraphicsPipelines", made.map_err(|(_, error)| error))?[0];
    scratch.own(Handle::Pipeline(pipeline));
    Ok(pipeline)
}

/// A render pass that clears colour targets of these formats and leaves them ready to be copied from.
pub(super) fn render_pass(scratch: &Scratch<'_>, targets: &[Option<TexelFormat>]) -> Result<vk::RenderPass, String> {
    let attachments: Vec<_> = targets
        .iter()
        .flatten()
        .map(|&target| {
            vk::AttachmentDescription::default()
                .format(format(target))
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
                .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
                .initial_layout(vk::ImageLayout::UNDEFINED)
                .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
        })
        .collect();
    let mut attachments_before = 0;
    let references: Vec<_> = targets
        .iter()
        .map(|target| {
            let attachment = if target.is_some() { attachments_before } else { vk::ATTACHMENT_UNUSED };
            attachments_before += u32::from(target.is_some());
            vk::AttachmentReference::default().attachment(attachment).layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
        })
        .collect();
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references)];
    let create = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
    // SAFETY: the device is alive.
    let pass = during("vkCreateRenderPass", unsafe { scratch.device.raw.create_render_pass(&create, None) })?;
    scratch.own(Handle::RenderPass(pass));
    Ok(pass)
}
