# cmake -DNPM=... -P install_packages.cmake, in the folder that gets node_modules: what package-lock.json names.
execute_process(COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts --loglevel=error
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "npm did not install the packages of the viewer page. Without a network, "
    "-DTESSERA_VIEWER=OFF builds everything but `tessera view`.")
endif()
