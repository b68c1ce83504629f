//! Buffers, images and samplers of one job, and the list of everything that has to be destroyed after it.

#![allow(unsafe_code, reason = "Vulkan is a C interface")]

use std::cell::RefCell;

use ash::vk;

use super::device::{Device, during};
use crate::job::{Address, Compare, Filter, Image, SamplerState, TextureShape, mip_size};
use crate::texel::TexelFormat;

/// Everything made for one job; destroyed, last made first, when it is dropped.
pub(super) struct Scratch<'d> {
    pub(super) device: &'d Device,
    made: RefCell<Vec<Handle>>,
}

/// A handle that a [`Scratch`] owns.
#[derive(Clone, Copy)]
pub(super) enum Handle {
    Buffer(vk::Buffer),
    Memory(vk::DeviceMemory),
    Image(vk::Image),
    View(vk::ImageView),
    Sampler(vk::Sampler),
    SetLayout(vk::DescriptorSetLayout),
    DescriptorPool(vk::DescriptorPool),
    PipelineLayout(vk::PipelineLayout),
    ShaderModule(vk::ShaderModule),
    Pipeline(vk::Pipeline),
    RenderPass(vk::RenderPass),
    Framebuffer(vk::Framebuffer),
    CommandPool(vk::CommandPool),
    Fence(vk::Fence),
    AccelerationStructure(vk::AccelerationStructureKHR),
}

/// A buffer that the CPU sees.
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    pub(super) raw: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Bytes that were asked for; the buffer may be larger.
    pub(super) size: usize,
}

/// An image and a view of what a shader sees of it.
#[derive(Clone, Copy)]
pub(super) struct Picture {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
}

impl<'d> Scratch<'d> {
    pub(super) const fn new(device: &'d Device) -> Self {
        Self { device, made: RefCell::new(Vec::new()) }
    }

    /// Takes over `handle`, made by the device and destroyed by nobody else.
    pub(super) fn own(&self, handle: Handle) {
        self.made.borrow_mut().push(handle);
    }

    /// A buffer that holds `contents`.
    pub(super) fn buffer(&self, contents: &[u8], usage: vk::BufferUsageFlags) -> Result<Buffer, String> {
        // A Vulkan buffer is never empty.
        let create = vk::BufferCreateInfo::default().size(contents.len().max(4) as u64).usage(usage);
        // SAFETY: the device is alive, here and in every call below; each handle is used while its scratch list still owns it.
        let raw = during("vkCreateBuffer", unsafe { self.device.raw.create_buffer(&create, None) })?;
        self.own(Handle::Buffer(raw));
        // SAFETY: as above.
        let needs = unsafe { self.device.raw.get_buffer_memory_requirements(raw) };
        let memory =
            self.memory(needs, vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT)?;
        // SAFETY: as above; the memory was made for this buffer.
        during("vkBindBufferMemory", unsafe { self.device.raw.bind_buffer_memory(raw, memory, 0) })?;
        let buffer = Buffer { raw, memory, size: contents.len() };
        // SAFETY: as above; the memory is visible to the CPU and not mapped, and has room for `contents`.
        unsafe {
            let place = during(
                "vkMapMemory",
                self.device.raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()),
            )?;
            std::ptr::copy_nonoverlapping(contents.as_ptr(), place.cast(), contents.len());
            self.device.raw.unmap_memory(memory);
        }
        Ok(buffer)
    }

    /// What `buffer` holds. The device must be idle.
    pub(super) fn read(&self, buffer: Buffer) -> Result<Vec<u8>, String> {
        // SAFETY: the memory is visible to the CPU, coherent and not mapped, has `size` bytes, and no work that writes it is pending.
        unsafe {
            let place = during(
                "vkMapMemory",
                self.device.raw.map_memory(buffer.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()),
            )?;
            let bytes = std::slice::from_raw_parts(place.cast::<u8>(), buffer.size).to_vec();
            self.device.raw.unmap_memory(buffer.memory);
            Ok(bytes)
        }
    }

    /// An image of that format and extent, with a view of all of it, or of its first mip alone.
    pub(super) fn picture(&self, image: &Image, usage: vk::ImageUsageFlags, mips_seen: u32) -> Result<Picture, String> {
        let (kind, view_kind, flags) = match image.shape {
            TextureShape::D2 => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D, vk::ImageCreateFlags::empty()),
            TextureShape::D2Array => {
                (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D_ARRAY, vk::ImageCreateFlags::empty())
            }
            TextureShape::D3 => (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D, vk::ImageCreateFlags::empty()),
            TextureShape::Cube => {
                (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE, vk::ImageCreateFlags::CUBE_COMPATIBLE)
            }
            TextureShape::CubeArray => {
                (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE_ARRAY, vk::ImageCreateFlags::CUBE_COMPATIBLE)
            }
        };
        let [width, height, depth] = image.size;
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(format(image.format))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(image.mips)
            .array_layers(image.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the device is alive, here and in every call below; each handle is used while its scratch list still owns it.
        let raw = during("vkCreateImage", unsafe { self.device.raw.create_image(&create, None) })?;
        self.own(Handle::Image(raw));
        // SAFETY: as above.
        let needs = unsafe { self.device.raw.get_image_memory_requirements(raw) };
        let memory = self.memory(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: as above; the memory was made for this image.
        during("vkBindImageMemory", unsafe { self.device.raw.bind_image_memory(raw, memory, 0) })?;
        let create = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(view_kind)
            .format(format(image.format))
            .subresource_range(
                vk::ImageSubresourceRange::default()
                    .aspect_mask(aspect(image.format))
                    .level_count(mips_seen)
                    .layer_count(image.layers),
            );
        // SAFETY: as above.
        let view = during("vkCreateImageView", unsafe { self.device.raw.create_image_view(&create, None) })?;
        self.own(Handle::View(view));
        Ok(Picture { raw, view })
    }

    /// A sampler of that state.
    pub(super) fn sampler(&self, state: SamplerState) -> Result<vk::Sampler, String> {
        let (filter, mip_filter) = match state.filter {
            Filter::Point => (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST),
            Filter::Linear => (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR),
        };
        let address = match state.address {
            Address::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Address::Repeat => vk::SamplerAddressMode::REPEAT,
            Address::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
        };
        let create = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(mip_filter)
            .address_mode_u(address)
            .address_mode_v(address)
            .address_mode_w(address)
            .compare_enable(state.compare.is_some())
            .compare_op(state.compare.map_or(vk::CompareOp::NEVER, comparison))
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is alive.
        let sampler = during("vkCreateSampler", unsafe { self.device.raw.create_sampler(&create, None) })?;
        self.own(Handle::Sampler(sampler));
        Ok(sampler)
    }

    fn memory(
        &self,
        needs: vk::MemoryRequirements,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, String> {
        // Builds of acceleration structures find their buffers by address.
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let create = vk::MemoryAllocateInfo::default()
            .push_next(&mut flags)
            .allocation_size(needs.size)
            .memory_type_index(self.device.memory_type(needs.memory_type_bits, properties)?);
        // SAFETY: the device is alive.
        let memory = during("vkAllocateMemory", unsafe { self.device.raw.allocate_memory(&create, None) })?;
        self.own(Handle::Memory(memory));
        Ok(memory)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let device = &self.device.raw;
        // SAFETY: the device is alive and made idle first; each handle is owned by this list and destroyed once, after all that was made from it.
        unsafe {
            let _ = device.device_wait_idle();
            for handle in self.made.take().into_iter().rev() {
                match handle {
                    Handle::Buffer(buffer) => device.destroy_buffer(buffer, None),
                    Handle::Memory(memory) => device.free_memory(memory, None),
                    Handle::Image(image) => device.destroy_image(image, None),
                    Handle::View(view) => device.destroy_image_view(view, None),
                    Handle::Sampler(sampler) => device.destroy_sampler(sampler, None),
                    Handle::SetLayout(layout) => device.destroy_descriptor_set_layout(layout, None),
                    Handle::DescriptorPool(pool) => device.destroy_descriptor_pool(pool, None),
                    Handle::PipelineLayout(layout) => device.destroy_pipeline_layout(layout, None),
                    Handle::ShaderModule(module) => device.destroy_shader_module(module, None),
                    Handle::Pipeline(pipeline) => device.destroy_pipeline(pipeline, None),
                    Handle::RenderPass(pass) => device.destroy_render_pass(pass, None),
                    Handle::Framebuffer(framebuffer) => device.destroy_framebuffer(framebuffer, None),
                    Handle::CommandPool(pool) => device.destroy_command_pool(pool, None),
                    Handle::Fence(fence) => device.destroy_fence(fence, None),
                    Handle::AccelerationStructure(structure) => {
                        if let Some(api) = &self.device.acceleration {
                            api.destroy_acceleration_structure(structure, None);
                        }
                    }
                }
            }
        }
    }
}

/// The regions of a tightly packed buffer that hold the mips of `image`, each with all its layers.
pub(super) fn regions(image: &Image) -> Vec<vk::BufferImageCopy> {
    let mut offset = 0;
    (0..image.mips)
        .map(|mip| {
            let [width, height, depth] = mip_size(image.size, mip);
            let region = vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(aspect(image.format))
                        .mip_level(mip)
                        .layer_count(image.layers),
                )
                .image_extent(vk::Extent3D { width, height, depth });
            offset += [width, height, depth, image.layers].map(u64::from).iter().product::<u64>()
                * image.format.bytes() as u64;
            region
        })
        .collect()
}

/// What of an image of that format is meant.
pub(super) const fn aspect(format: TexelFormat) -> vk::ImageAspectFlags {
    match format {
        TexelFormat::Depth32f => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// Vulkan's name of a format.
pub(super) const fn format(format: TexelFormat) -> vk::Format {
    match format {
        TexelFormat::Rgba32f => vk::Format::R32G32B32A32_SFLOAT,
        TexelFormat::Rgba16f => vk::Format::R16G16B16A16_SFLOAT,
        TexelFormat::Rgba8Unorm => vk::Format::R8G8B8A8_UNORM,
        TexelFormat::R32f => vk::Format::R32_SFLOAT,
        TexelFormat::R16f => vk::Format::R16_SFLOAT,
        TexelFormat::Rg16f => vk::Format::R16G16_SFLOAT,
        TexelFormat::Rg32f => vk::Format::R32G32_SFLOAT,
        TexelFormat::R11g11b10f => vk::Format::B10G11R11_UFLOAT_PACK32,
        TexelFormat::R32u => vk::Format::R32_UINT,
        TexelFormat::R32i => vk::Format::R32_SINT,
        TexelFormat::Rgba32u => vk::Format::R32G32B32A32_UINT,
        TexelFormat::Rgba32i => vk::Format::R32G32B32A32_SINT,
        TexelFormat::Depth32f => vk::Format::D32_SFLOAT,
    }
}

const fn comparison(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}
