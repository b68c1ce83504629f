"""akari_package(name, src, imports, manifest, type, flags): builds a package into a folder of its name.

Bazel starts an action for each package, and knows by `imports` what it depends on; so Akari needs no cache of its own. `type` is that of a
specification: "KhronosVulkan", "MicrosoftD3D12" or "AppleMetal"."""

def _akari_package(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    spec = ctx.actions.declare_file(ctx.label.name + ".akari.json")

    # Paths in a specification begin where it lies.
    up = "../" * spec.path.count("/")
    content = {
        "version": 2,
        "type": ctx.attr.type,
        "akariImportPaths": depset([up + module.dirname for module in ctx.files.imports]).to_list(),
        "compilation": [{
            "name": ctx.label.name,
            "sources": [up + ctx.file.src.path],
            "optimizationLevel": 0 if ctx.var["COMPILATION_MODE"] == "dbg" else 3,
            "includeDebugSymbols": ctx.var["COMPILATION_MODE"] == "dbg",
        }],
    }
    if ctx.file.manifest:
        content["bindingManifest"] = up + ctx.file.manifest.path
    ctx.actions.write(spec, json.encode(content))
    ctx.actions.run(
        executable = ctx.executable._akari,
        arguments = ["compile", "--spec=" + spec.path, "--out=" + out.path, "--no-cache", "--quiet", "-j", "1"] + ctx.attr.flags,
        inputs = [spec, ctx.file.src] + ctx.files.imports + ctx.files.manifest,
        outputs = [out],
        mnemonic = "Akari",
        progress_message = "Shader %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([out]))]

akari_package = rule(
    implementation = _akari_package,
    attrs = {
        "src": attr.label(allow_single_file = [".akari"], mandatory = True),
        "imports": attr.label_list(allow_files = [".akari"]),
        "manifest": attr.label(allow_single_file = [".json"]),
        "type": attr.string(default = "KhronosVulkan"),
        "flags": attr.string_list(),
        "_akari": attr.label(default = "//tools:akari", executable = True, cfg = "exec", allow_single_file = True),
    },
)
