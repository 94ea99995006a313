# Installs the build in BUILD to a temporary prefix and builds the project in tests/package against
# it: cmake -DBUILD=... -DSOURCE=... -DWORK=... -P package_test.cmake
file(REMOVE_RECURSE ${WORK})
macro(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endmacro()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside ${WORK}/sphere.ply)
run(${WORK}/prefix/bin/tessera info ${WORK}/sphere.ply)
file(REMOVE_RECURSE ${WORK})
