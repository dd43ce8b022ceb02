/* How a data set lies in its file, and what of it is there. */
#include "worker/data/hdf5/module.h"

#include <math.h>

/* The first filter that this libhdf5 has not, as lzf of h5py; -1: it has all. */
static int find_missing_filter(hid_t how, char *name, size_t size)
{
    for (int i = 0, count = H5Pget_nfilters(how); i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter = H5Pget_filter2(how, (unsigned)i, &flags, &values, NULL, size, name, &config);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
            return filter;
    }
    return -1;
}

static int check_form(hid_t how, const char *name, char *error)
{
    char filter[80] = "";
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) > 0)
        return module_refuse(error,
                             "'%.100s' has its elements in other files, which are not looked into (%s); copy it into a "
                             "file of its own, as h5py does with numpy.asarray of it",
                             name, H5Pget_layout(how) == H5D_VIRTUAL ? "a virtual data set" : "external storage");
    int missing = find_missing_filter(how, filter, sizeof filter);
    if (missing >= 0)
        return module_refuse(error,
                             "'%.100s' is compressed by the filter %d (%.60s), which this machine's libhdf5 has not; "
                             "write it with gzip (h5repack -f GZIP=4)",
                             name, missing, *filter ? filter : "no name");
    return 0;
}

int module_check_form(hid_t set, const char *name, char *error)
{
    hid_t how = H5Dget_create_plist(set);
    if (how < 0)
        return module_refuse_call(error, "how '%.100s' is stored can't be read", name);
    int result = check_form(how, name, error);
    H5Pclose(how);
    return result;
}

/* --- what was written --- */

/* Chunks that the shape is made of, as a double: a forged shape may have any number. */
static double count_chunks(hid_t set, const struct hdf5_set *about)
{
    hsize_t chunk[H5S_MAX_RANK];
    hid_t how = H5Dget_create_plist(set);
    bool chunked =
        how >= 0 && H5Pget_layout(how) == H5D_CHUNKED && H5Pget_chunk(how, H5S_MAX_RANK, chunk) == about->rank;
    double count = chunked ? 1 : 0;
    if (how >= 0)
        H5Pclose(how);
    for (int i = 0; chunked && i < about->rank; i++)
        count *= chunk[i] ? ceil((double)about->size[i] / (double)chunk[i]) : 0;
    return count;
}

static double count_bytes(const struct hdf5_set *about)
{
    double bytes = about->bytes;
    for (int i = 0; i < about->rank; i++)
        bytes *= (double)about->size[i];
    return bytes;
}

/* Chunks that were written; -1: this libhdf5 can't say. */
static double count_written(hid_t set)
{
    hsize_t written = 0;
    double result = -1;
#if H5_VERSION_GE(1, 10, 5)
    hid_t space = H5Dget_space(set);
    if (space >= 0 && H5Dget_num_chunks(set, space, &written) >= 0)
        result = (double)written;
    if (space >= 0)
        H5Sclose(space);
#else
    (void)set, (void)written;
#endif
    return result;
}

/* What was never written reads as zeros, and would be learned from. */
int module_check_written(hid_t set, const struct hdf5_set *about, char *error)
{
    double chunks = count_chunks(set, about), written = chunks > 0 ? count_written(set) : -1;
    double bytes = count_bytes(about), there = (double)H5Dget_storage_size(set);
    if (written >= 0 && written < chunks)
        return module_refuse(
            error,
            "of the %.0f chunks of '%.100s' %.0f were written; did the program that made the file come "
            "to its end?",
            chunks, about->name, written);
    if (there < (chunks > 0 ? chunks : bytes)) /* a chunk that was written takes a byte at least */
        return module_refuse(error,
                             "'%.100s' has a shape of %.0f bytes, and %.0f were written; did the program that made the "
                             "file come to its end?",
                             about->name, bytes, there);
    return 0;
}
