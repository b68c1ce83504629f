# akari_shaders(<target> SPEC <file> OUT <folder> [FLAGS <flag>…])
#
# A target that builds the packages of a specification into a folder. It runs when a source, a module, the manifest, the specification or akari
# itself changed; akari then builds what that concerns. `AKARI` is the program.

find_program(AKARI akari REQUIRED)

# Names in dependency files are taken as they are.
cmake_policy(SET CMP0116 NEW)

function(akari_shaders target)
    cmake_parse_arguments(PARSE_ARGV 1 SHADERS "" "SPEC;OUT" "FLAGS")
    cmake_path(ABSOLUTE_PATH SHADERS_SPEC)
    cmake_path(ABSOLUTE_PATH SHADERS_OUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.stamp")
    add_custom_command(
        OUTPUT "${stamp}"
        COMMAND "${AKARI}" compile "--spec=${SHADERS_SPEC}" "--out=${SHADERS_OUT}" "--depfile=${stamp}.d" "--depfile-target=${stamp}"
                --quiet ${SHADERS_FLAGS}
        # The report is not written again when nothing in it changes: the stamp tells when this ran.
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPFILE "${stamp}.d"
        DEPENDS "${SHADERS_SPEC}" "${AKARI}"
        COMMENT "Shaders of ${target}"
        VERBATIM)
    add_custom_target("${target}" ALL DEPENDS "${stamp}")
endfunction()
