# What lies beside the programs when they are installed. Components: cli, which the wheel
# plumbline-gpu is made of, and worker.
set(share ${CMAKE_INSTALL_DATADIR}/plumbline)
install(DIRECTORY suites/ DESTINATION ${share}/suites COMPONENT cli)
install(DIRECTORY ci/ DESTINATION ${share}/ci USE_SOURCE_PERMISSIONS COMPONENT cli)
install(DIRECTORY harness/import/mappings/ DESTINATION ${share}/imports COMPONENT cli)
# What `plumbline worker build` compiles.
foreach(folder harness reports scripts)
  install(DIRECTORY ${folder} DESTINATION ${share}/source USE_SOURCE_PERMISSIONS COMPONENT cli
          PATTERN "*.png" EXCLUDE PATTERN "__pycache__" EXCLUDE)
endforeach()
install(FILES CMakeLists.txt LICENSE DESTINATION ${share}/source COMPONENT cli)
install(FILES docs/plumbline.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES harness/backends/plugin/plumbline_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cli)

# The notices of what the command line holds: as the packages came with them.
install(FILES LICENSE DESTINATION ${share}/licences RENAME plumbline.txt COMPONENT cli)
install(FILES reports/uPlot-licence.txt DESTINATION ${share}/licences RENAME uPlot.txt COMPONENT cli)
foreach(package libboost-math-dev libcli11-dev libcsv-dev libfmt-dev libjemalloc-dev libpugixml-dev libvalijson-dev
        libxxhash-dev libyaml-dev nlohmann-json3-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${share}/licences RENAME ${package}.txt
          COMPONENT cli OPTIONAL)
endforeach()
install(FILES /usr/share/common-licenses/LGPL-2.1 DESTINATION ${share}/licences RENAME LGPL-2.1.txt
        COMPONENT cli OPTIONAL)
file(GLOB tabulator_licence ${PLUMBLINE_SITE_PACKAGES}/django_js_lib_tabulator-*.dist-info/LICENSE.txt)
install(FILES ${tabulator_licence} DESTINATION ${share}/licences RENAME Tabulator.txt COMPONENT cli)
# Of the CUDA runtime in the extension module: from PyPI's package, or from the system's toolkit where that has it.
file(GLOB cuda_licence ${PLUMBLINE_SITE_PACKAGES}/nvidia_cuda_runtime-*.dist-info/licenses/License.txt
     ${CUDAToolkit_ROOT}/EULA.txt)
if(PLUMBLINE_ENGINE AND cuda_licence)
  list(GET cuda_licence 0 cuda_licence)
  install(FILES ${cuda_licence} DESTINATION ${share}/licences RENAME CUDA.txt COMPONENT cli)
endif()
