# Sourced on the GPU machine, in the repository, with O set: sets GPU_LIBRARIES to a folder of links to those libraries
# of $O/gpu-libs that neither the loader nor CUDA's own folder has here, and to the CUDA runtime and CUPTI.
GPU_LIBRARIES=$O/gpu-libs-used
rm -rf "$GPU_LIBRARIES" && mkdir -p "$GPU_LIBRARIES"
known=$(ldconfig -p | awk '{ print $1 }')
for cuda in "${CUDA:-/usr/local/cuda}"/lib64 "${CUDA:-/usr/local/cuda}"/extras/CUPTI/lib64; do
    for library in "$cuda"/libcudart.so.* "$cuda"/libcupti.so.*; do
        [ -e "$library" ] && ln -sf "$library" "$GPU_LIBRARIES/"
    done
done
for library in "$O"/gpu-libs/*; do
    name=$(basename "$library")
    grep -qxF "$name" <<<"$known" || [ -e "$GPU_LIBRARIES/$name" ] || ln -s "$library" "$GPU_LIBRARIES/"
done
export GPU_LIBRARIES
