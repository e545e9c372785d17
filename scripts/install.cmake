# Files installed beside the programs. Components: cli, from which the wheel plumbline-gpu is made, worker, and gbench.
set(share ${CMAKE_INSTALL_DATADIR}/plumbline)
install(DIRECTORY suites/ DESTINATION ${share}/suites COMPONENT cli)
install(DIRECTORY ci/ DESTINATION ${share}/ci USE_SOURCE_PERMISSIONS COMPONENT cli PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY docs/examples/ DESTINATION ${share}/examples COMPONENT cli PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY harness/import/mappings/ DESTINATION ${share}/imports COMPONENT cli)
# Sources that `plumbline worker build` compiles: one archive, which is smaller than 1,500 files. scripts/wheel unpacks it.
install(DIRECTORY scripts DESTINATION ${share}/source USE_SOURCE_PERMISSIONS COMPONENT cli
        PATTERN "__pycache__" EXCLUDE)
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}/source\")
  execute_process(COMMAND tar --exclude=*.png --exclude=__pycache__ -cJf \${folder}/source.tar.xz
    harness reports scripts CMakeLists.txt LICENSE THIRD_PARTY_NOTICES.md
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT cli)
install(FILES docs/plumbline.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES harness/backends/plugin/plumbline_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cli)

# THIRD_PARTY_NOTICES.md and the licences that it names, copied from the packages. Packages in each component:
set(cli_packages libarchive-dev libcli11-dev libcsv-dev libfmt-dev libjemalloc-dev libpugixml-dev libsqlite3-dev libxxhash-dev libyaml-dev libzstd-dev nlohmann-json3-dev)
set(worker_packages libxxhash-dev nlohmann-json3-dev)
set(gbench_packages libbenchmark-dev)
set(pypi ${PLUMBLINE_SITE_PACKAGES})
set(nvidia_licence ${pypi}/nvidia_nvml_dev-*.dist-info/licenses/License.txt)  # the CUDA EULA

# plumbline_licence(component name pattern…): installs the first file that fits one of the patterns. A missing text is only
# a warning, because most builds are not shipped. tests/wheel checks the wheels.
function(plumbline_licence component name)
  file(GLOB found ${ARGN})
  if(NOT found)
    message(WARNING "The licence of ${name} is missing; do not ship this build. Looked for ${ARGN}")
    return()
  endif()
  list(GET found 0 found)
  install(FILES ${found} DESTINATION ${${component}_licences} RENAME ${name}.txt COMPONENT ${component})
endfunction()

# Debian's file lists the licences of all of Boost, 2 MB. Boost.Math has the first one; its own text needs no names of
# authors in a program.
function(plumbline_boost_licence component)
  file(GLOB found /usr/share/doc/libboost1.*-dev/copyright)
  set(text "")
  if(found)
    list(GET found 0 found)
    file(READ ${found} all)
    string(REGEX MATCH "\n Boost Software License - Version 1[^\n]*(\n [^\n]+)+" text "${all}")
    string(REGEX REPLACE "\n \\.?" "\n" text "${text}")
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/boost-licence.txt "${text}")
  plumbline_licence(${component} Boost ${PROJECT_BINARY_DIR}/boost-licence.txt)
  if(text STREQUAL "")
    message(WARNING "The licence of Boost is missing; do not ship this build. Looked in /usr/share/doc/libboost1.*-dev/copyright")
  endif()
endfunction()

set(cli_licences ${share}/licences)
set(gbench_licences ${share}/licences)
set(worker_licences ${share}/licences)
if(PLUMBLINE_RELATIVE_WORKER)  # the worker's wheel is one folder
  set(worker_licences licences)
endif()
foreach(component cli worker gbench)
  if(component STREQUAL worker AND NOT PLUMBLINE_WORKER)
    continue()
  endif()
  plumbline_licence(${component} plumbline ${PROJECT_SOURCE_DIR}/LICENSE)
  install(FILES THIRD_PARTY_NOTICES.md DESTINATION ${${component}_licences} COMPONENT ${component})
  foreach(package ${${component}_packages})
    plumbline_licence(${component} ${package} /usr/share/doc/${package}/copyright)
  endforeach()
  if(NOT component STREQUAL gbench)
    plumbline_boost_licence(${component})
  endif()
endforeach()
# What each is made of, with versions and hashes.
foreach(component cli worker)
  if(component STREQUAL worker AND NOT PLUMBLINE_WORKER)
    continue()
  endif()
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${${component}_licences}\")
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/sbom ${component} \${folder}/${component}.cdx.json
      COMMAND_ERROR_IS_FATAL ANY)
  " COMPONENT ${component})
endforeach()
plumbline_licence(cli LGPL-2.1 /usr/share/common-licenses/LGPL-2.1)
plumbline_licence(cli Apache-2.0 /usr/share/common-licenses/Apache-2.0)
plumbline_licence(gbench Apache-2.0 /usr/share/common-licenses/Apache-2.0)
plumbline_licence(cli uPlot ${PROJECT_SOURCE_DIR}/reports/uPlot-licence.txt)
plumbline_licence(cli Tabulator ${pypi}/django_js_lib_tabulator-*.dist-info/LICENSE.txt)
if(PLUMBLINE_NANOBIND)
  plumbline_licence(cli nanobind ${PLUMBLINE_NANOBIND}/../../nanobind-*.dist-info/licenses/LICENSE)
endif()
if(PLUMBLINE_ENGINE)  # the extension module contains the CUDA runtime
  plumbline_licence(cli CUDA ${nvidia_licence})
endif()
if(PLUMBLINE_WORKER)
  plumbline_licence(worker CUDA ${nvidia_licence})
  plumbline_licence(worker Apache-2.0 /usr/share/common-licenses/Apache-2.0)  # NVTX
  plumbline_licence(worker cudnn-frontend ${pypi}/nvidia_cudnn_frontend-*.dist-info/licenses/LICENSE.txt)
  set(torch_packages ${pypi})
  if(PLUMBLINE_TORCH)
    set(torch_packages ${PLUMBLINE_TORCH})
  endif()
  plumbline_licence(worker torch ${torch_packages}/torch-*.dist-info/licenses/LICENSE ${torch_packages}/torch-*.dist-info/LICENSE)
endif()
