# lib3mf 1.x, the library with the C interface of NMR_DLLInterfaces.h. Defines Lib3MF::Lib3MF.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_Lib3MF QUIET lib3MF)
endif()
find_path(Lib3MF_INCLUDE_DIR Model/COM/NMR_DLLInterfaces.h
  HINTS ${PC_Lib3MF_INCLUDEDIR} PATH_SUFFIXES lib3mf)
find_library(Lib3MF_LIBRARY NAMES 3MF HINTS ${PC_Lib3MF_LIBDIR})

set(Lib3MF_VERSION ${PC_Lib3MF_VERSION})
if(NOT Lib3MF_VERSION AND Lib3MF_INCLUDE_DIR)
  foreach(part MAJOR MINOR)
    file(STRINGS ${Lib3MF_INCLUDE_DIR}/Model/COM/NMR_COMVersion.h line
      REGEX "define[ \t]+NMR_APIVERSION_INTERFACE_${part}")
    string(REGEX MATCH "[0-9]+" Lib3MF_VERSION_${part} "${line}")
  endforeach()
  set(Lib3MF_VERSION ${Lib3MF_VERSION_MAJOR}.${Lib3MF_VERSION_MINOR})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Lib3MF
  REQUIRED_VARS Lib3MF_LIBRARY Lib3MF_INCLUDE_DIR VERSION_VAR Lib3MF_VERSION HANDLE_VERSION_RANGE)
mark_as_advanced(Lib3MF_INCLUDE_DIR Lib3MF_LIBRARY)

if(Lib3MF_FOUND AND NOT TARGET Lib3MF::Lib3MF)
  add_library(Lib3MF::Lib3MF UNKNOWN IMPORTED)
  set_target_properties(Lib3MF::Lib3MF PROPERTIES
    IMPORTED_LOCATION ${Lib3MF_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Lib3MF_INCLUDE_DIR})
endif()
