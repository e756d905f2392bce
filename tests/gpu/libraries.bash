# Sourced on the GPU machine, in the repository, with O set, by whatever runs there: sets GPU_LIBRARIES, a search path
# for the loader. Its first folder has links to the toolkit's CUDA runtime and CUPTI, and to those libraries that the
# loader does not find here by itself: the rest of CUDA's, wherever the toolkit or Python's packages keep them, then
# those that were carried here in $O/gpu-libs.
used=$O/gpu-libs-used
rm -rf "$used" && mkdir -p "$used"
known=$(ldconfig -p | awk '{ print $1 }')
toolkit=${CUDA:-/usr/local/cuda}
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null)
for library in "$toolkit"{,/extras/CUPTI}/lib64/lib{cudart,cupti}.so.*; do
    [ -e "$library" ] && ln -sf "$library" "$used/"
done
for library in {"$toolkit"/lib64,"$packages"/nvidia/*/lib}/lib{cudart,cupti,cublas,cublasLt,cufft,nvrtc}.so.*[0-9] \
    "$O"/gpu-libs/*; do
    name=$(basename "$library")
    [ -e "$library" ] && [ ! -e "$used/$name" ] && ! grep -qxF "$name" <<<"$known" && ln -s "$library" "$used/"
done
export GPU_LIBRARIES=$used${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # the driver may stand there
