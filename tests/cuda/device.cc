/* GPUs that are found, and what they are like: the numbers of an H100. See fake.hh. */
#include "tests/cuda/fake.hh"

#include <map>

using namespace fake;

static int device_now;

cudaError_t cudaGetDeviceCount(int *count)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    *count = 0;
    if (int code = enter("cudaGetDeviceCount"))
        return result((cudaError_t)code);
    if (the_options().old_driver)
        return result(cudaErrorInsufficientDriver);
    if (the_options().gpus == 0)
        return result(cudaErrorNoDevice);
    *count = the_options().gpus;
    return result(cudaSuccess);
}

static cudaError_t check_device(int device)
{
    if (the_options().old_driver)
        return cudaErrorInsufficientDriver;
    if (the_options().gpus == 0)
        return cudaErrorNoDevice;
    return device < 0 || device >= the_options().gpus ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaSetDevice"))
        return result((cudaError_t)code);
    device_now = device;
    return result(check_device(device));
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    static const std::map<int, int> values = {
        {cudaDevAttrMaxThreadsPerBlock, 1024},
        {cudaDevAttrMaxGridDimX, 0x7fffffff},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMultiProcessorCount, 132},
        {cudaDevAttrComputeMode, cudaComputeModeDefault},
        {cudaDevAttrL2CacheSize, 50 << 20},
        {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 << 10},
        {cudaDevAttrMemoryPoolsSupported, 1},
    };
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaDeviceGetAttribute"))
        return result((cudaError_t)code);
    if (cudaError_t status = check_device(device))
        return result(status);
    auto found = values.find(attr);
    if (found == values.end())
        return result(cudaErrorInvalidValue);
    *value = found->second;
    return result(cudaSuccess);
}
