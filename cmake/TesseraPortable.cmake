# TESSERA_PORTABLE: a folder with all programs, stripped, and the shared libraries they need beside
# them, to carry to a machine that has none of them (its C and C++ runtime must not be older).
#
#   include(TesseraPortable) before the targets, tessera_portable() after all of them.

if(TESSERA_PORTABLE)
  set(CMAKE_BUILD_RPATH "$ORIGIN")
  set(CMAKE_BUILD_WITH_INSTALL_RPATH OFF)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
  set(CMAKE_SKIP_INSTALL_RPATH ON)
  # Libraries that are needed by libraries are searched there too.
  add_link_options(-Wl,--disable-new-dtags)
endif()

function(tessera_portable)
  if(NOT TESSERA_PORTABLE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/portable)
  set(targets "")
  set(programs "")
  foreach(target IN ITEMS tessera_cli tessera_tests tessera_exec_bench tessera_io_bench
          tessera_query_bench tessera_patch_bench tessera_app_bench tessera_lattice_bench
          tessera_dynamic_bench tessera_remesh_bench)
    if(TARGET ${target})
      list(APPEND targets ${target})
      list(APPEND programs $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  add_custom_target(portable ALL
    COMMAND ${CMAKE_COMMAND} "-DFOLDER=${folder}" "-DPROGRAMS=${programs}"
            "-DSTRIP=${CMAKE_STRIP}" -P ${PROJECT_SOURCE_DIR}/cmake/CollectRuntime.cmake
    DEPENDS ${targets}
    COMMENT "Collecting programs and their shared libraries in ${folder}"
    VERBATIM)
endfunction()
