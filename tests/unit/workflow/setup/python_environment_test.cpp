#include "workflow/setup/python_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

void plant(const fs::path& path, const std::string& text = "") {
  fs::create_directories(path.parent_path());
  write_atomically(path.string(), text);
}

std::string version_file(const std::string& version, const std::string& cuda) {
  return "from typing import Optional\n\n__all__ = ['__version__', 'cuda']\n__version__ = '" +
         version + "'\ncuda: Optional[str] = " + cuda + "\nhip: Optional[str] = 'none'\n";
}

class PythonEnvironmentTest : public testing::Test {
 protected:
  fs::path prefix() const { return folder_.path(); }
  fs::path packages() const { return prefix() / "lib/python3.11/site-packages"; }
  PythonEnvironment installed() const {
    plant(packages() / "plumbline_gpu/__init__.py");
    return environment_of_program((prefix() / "bin").string()).value();
  }

 private:
  ScratchFolder folder_;
};

TEST_F(PythonEnvironmentTest, IsTheOneThatHoldsOurPackage) {
  EXPECT_FALSE(environment_of_program((prefix() / "bin").string()));
  EXPECT_EQ(installed().packages, packages());
  EXPECT_EQ(installed().python, "python3.11");
  plant(prefix() / "bin/python3");
  EXPECT_EQ(installed().python, prefix() / "bin/python3");
}

TEST_F(PythonEnvironmentTest, TorchIsReadFromItsFile) {
  plant(packages() / "torch/version.py", version_file("2.11.0+cu130", "'13.0'"));
  const Torch torch = torch_of(installed()).value();
  EXPECT_EQ(torch.version, "2.11.0+cu130");
  EXPECT_EQ(torch.cuda, "13.0");
  EXPECT_EQ(torch.folder, packages());
  EXPECT_EQ(worker_name_for(torch), "torch-2.11-cu13");
  EXPECT_EQ(read_torch_version(version_file("2.11.0+cpu", "None")).cuda, "");
  EXPECT_EQ(worker_name_for({"2.9.0a0+git", "12.8", ""}), "torch-2.9-cu12");
}

TEST_F(PythonEnvironmentTest, TheWorkerIsTheOneForTheTorchThatIsThere) {
  EXPECT_FALSE(worker_of(installed()));
  const fs::path workers = packages() / "plumbline_gpu_workers";
  plant(workers / "torch-2.11-cu13/plumbline-worker");
  plant(workers / "torch-2.15-cu13/plumbline-worker");
  plant(packages() / "torch/version.py", version_file("2.15.0+cu132", "'13.2'"));
  EXPECT_EQ(worker_of(installed())->path, workers / "torch-2.15-cu13/plumbline-worker");
  EXPECT_EQ(worker_of(installed())->library_path, "");
  plant(packages() / "torch/version.py", version_file("2.9.1+cu128", "'12.8'"));
  try {
    worker_of(installed());
    FAIL() << "a worker for another torch was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the workers of this environment are for torch-2.11-cu13, torch-2.15-cu13, and it "
              "has torch 2.9.1+cu128 in " +
                  packages().string() +
                  ", which needs torch-2.9-cu12; `plumbline worker build` compiles one for it");
  }
}

TEST_F(PythonEnvironmentTest, IsFoundByItsFolderIfThatHasAPython) {
  EXPECT_THROW(environment_in((prefix() / "absent").string()), Error);
  EXPECT_THROW(environment_in(prefix().string()), Error) << "no Python is in it";
  plant(prefix() / "bin/python3");
  plant(packages() / "torch/version.py", version_file("2.15.0+cu132", "'13.2'"));
  const PythonEnvironment environment = environment_in(prefix().string());
  EXPECT_EQ(environment.python, prefix() / "bin/python3");
  EXPECT_EQ(torch_of(environment).value().version, "2.15.0+cu132");
  EXPECT_FALSE(worker_of(environment)) << "no worker is installed";
  const fs::path workers = packages() / "plumbline_gpu_workers";
  plant(workers / "torch-2.15-cu13/plumbline-worker");
  EXPECT_EQ(worker_of(environment)->path, workers / "torch-2.15-cu13/plumbline-worker");
}

TEST_F(PythonEnvironmentTest, AWorkerApartFromItsTorchIsToldWhereThatIs) {
  const fs::path other = prefix() / "other";
  plant(other / "torch/__init__.py");
  plant(other / "torch/version.py", version_file("2.15.0+cu132", "'13.2'"));
  plant(prefix() / "bin/python3", "#!/bin/sh\nprintf " + (other / "torch/__init__.py").string());
  fs::permissions(prefix() / "bin/python3", fs::perms::owner_all);
  plant(packages() / "plumbline_gpu_workers/torch-2.15-cu13/plumbline-worker");
  const auto worker = worker_of(environment_in(prefix().string()));
  ASSERT_TRUE(worker);
  EXPECT_TRUE(worker->library_path.starts_with((other / "torch/lib").string()))
      << worker->library_path;
}

/// A program that prints the same as a Python with torch about itself, or nothing.
std::string plant_python(const fs::path& path, const std::string& words) {
  plant(path, "#!/bin/sh\nprintf '" + words + "'\n");
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

TEST_F(PythonEnvironmentTest, FunctionsRunInTheFirstPythonThatHasTorch) {
  const std::string named = plant_python(prefix() / "named/python", "3.14.0 3.6.0");
  const HostPython python = find_python(named, "/nowhere");
  EXPECT_EQ(python.program, named);
  EXPECT_EQ(python.version, "3.14.0");
  EXPECT_EQ(python.triton, "3.6.0");
  const std::string active = plant_python(prefix() / "active/bin/python3", "3.12.3 ");
  setenv("VIRTUAL_ENV", (prefix() / "active").c_str(), 1);
  EXPECT_EQ(find_python("", "/nowhere").program, active);
  EXPECT_EQ(find_python("", "/nowhere").triton, "");
  plant_python(active, "");  // it has no torch
  installed();
  const std::string own = plant_python(prefix() / "bin/python3", "3.11.2 3.6.0");
  EXPECT_EQ(find_python("", (prefix() / "bin").string()).program, own);
  unsetenv("VIRTUAL_ENV");
}

TEST_F(PythonEnvironmentTest, APythonThatIsNamedMustHaveTorch) {
  for (const std::string& named :
       {plant_python(prefix() / "python", ""), (prefix() / "absent").string()})
    try {
      find_python(named, "/nowhere");
      FAIL() << named << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "$PLUMBLINE_PYTHON names '" + named + "', which is no Python with torch");
    }
}

}  // namespace
}  // namespace plumbline
