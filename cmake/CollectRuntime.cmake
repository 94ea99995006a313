# Copies PROGRAMS and the shared libraries they load, but for those of the system, to FOLDER.
file(MAKE_DIRECTORY ${FOLDER})
foreach(program IN LISTS PROGRAMS)
  file(COPY ${program} DESTINATION ${FOLDER})
  get_filename_component(name ${program} NAME)
  execute_process(COMMAND ${STRIP} ${FOLDER}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${PROGRAMS}
  RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so"
  POST_EXCLUDE_REGEXES "^/lib/ld-linux")
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  file(COPY ${library} DESTINATION ${FOLDER} FOLLOW_SYMLINK_CHAIN)
endforeach()
