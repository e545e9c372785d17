#include "attach/devices.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "core/attach_records.h"

namespace plumbline::attach {

void describe_device(Lines& lines, int number, const char* uuid, const char* name, int units,
                     long long memory_bytes, int l2_bytes) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned(static_cast<unsigned char>(uuid[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  lines.begin(kDevice).field(std::int64_t(number)).field(text);
  lines.field(name != nullptr ? name : "").field(std::int64_t(units));
  lines.field(std::int64_t(memory_bytes)).field(std::int64_t(l2_bytes)).end();
}

void describe_devices(Lines& lines) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(driver, name));
    return function != nullptr;
  };
  CUresult (*count_of)(int*) = nullptr;
  CUresult (*uuid_of)(CUuuid*, CUdevice) = nullptr;
  CUresult (*name_of)(char*, int, CUdevice) = nullptr;
  CUresult (*memory_of)(std::size_t*, CUdevice) = nullptr;
  CUresult (*attribute_of)(int*, CUdevice_attribute, CUdevice) = nullptr;
  const bool has_all = find(count_of, "cuDeviceGetCount") && find(uuid_of, "cuDeviceGetUuid_v2") &&
                       find(name_of, "cuDeviceGetName") && find(memory_of, "cuDeviceTotalMem_v2") &&
                       find(attribute_of, "cuDeviceGetAttribute");
  int count = 0;
  if (!has_all || count_of(&count) != CUDA_SUCCESS) return;
  for (int device = 0; device < count; ++device) {
    CUuuid uuid{};
    char name[256] = "";
    std::size_t memory_bytes = 0;
    int units = 0, l2_bytes = 0;
    if (uuid_of(&uuid, device) != CUDA_SUCCESS ||
        name_of(name, sizeof name, device) != CUDA_SUCCESS)
      return;
    memory_of(&memory_bytes, device);
    attribute_of(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    attribute_of(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
    describe_device(lines, device, uuid.bytes, name, units, (long long)memory_bytes, l2_bytes);
  }
}

}  // namespace plumbline::attach
