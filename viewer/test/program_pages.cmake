# Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
# SPDX-License-Identifier: MIT
# Pages of `tessera view` and `tessera compare`, checked in a browser.
file(MAKE_DIRECTORY ${FOLDER})
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${PROGRAM} generate torus torus.ply --faces 3000)
run(${PROGRAM} subdivide torus.ply smooth.ply --method loop)
run(${PROGRAM} curvature smooth.ply curvature.ply)
run(${PROGRAM} generate soup soup.ply --faces 500)
run(${PROGRAM} view curvature.ply -o curvature.html --color mean_curvature --color-map coolwarm)
run(${PROGRAM} view torus.ply smooth.ply soup.ply -o layers.html --color patch)
run(${PROGRAM} compare torus.ply smooth.ply --samples 10000 -o compare.html)
# A name that would begin a comment in the script element of the page.
file(COPY_FILE ${FOLDER}/torus.ply "${FOLDER}/<!--<script>.ply")
run(${PROGRAM} view "<!--<script>.ply" -o marks.html)
run(${NODE} ${RUNNER} --modules ${MODULES}
  --page curvature.html --page layers.html --page compare.html
  --page marks.html)
