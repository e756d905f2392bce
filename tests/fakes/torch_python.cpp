// A stand-in for libtorch_python.so: its engine calls the base class's execute through the dynamic linker, as the real
// PythonEngine does, and its threads begin here.
#include "tests/fakes/torch_autograd.h"

#include <cstdint>
#include <exception>

namespace {

class PythonEngine : public torch::autograd::Engine {
  public:
    std::vector<at::Tensor> execute(const std::vector<torch::autograd::Edge> &roots,
                                    const std::vector<at::Tensor> &inputs, bool keep_graph, bool create_graph,
                                    bool accumulate_grad, const std::vector<torch::autograd::Edge> &outputs) override {
        return Engine::execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
    }

    int threads = 0;

  protected:
    void thread_init() override {
        Engine::thread_main();
        threads++;
    }
};

} // namespace

// The engine's four answers as one decimal number, -1 if it threw. root 0: without roots.
extern "C" int fake_torch_backward(int root, int input, int flags, int output) {
    PythonEngine engine;
    std::vector<torch::autograd::Edge> roots;
    if (root) roots.push_back({root});
    try {
        int number = 0;
        for (const at::Tensor &tensor :
             engine.execute(roots, {at::Tensor(input)}, flags & 4, flags & 2, flags & 1, {{output}})) {
            number = 10 * number + tensor.value();
        }
        return number;
    } catch (const std::exception &) {
        return -1;
    }
}

using block_fn = void(int generation, int type, int index, uint64_t block, int64_t bytes, uint64_t allocated,
                      uint64_t reserved);

// backward(), whose node has a block come or go on CUDA device 0: `report` is c10_cuda.cpp's fake_torch_block. How many
// threads ran.
extern "C" int fake_torch_backward_block(block_fn *report, uint64_t block, int64_t bytes, uint64_t allocated,
                                         uint64_t reserved) {
    PythonEngine engine;
    engine.set_work([=] { report(0, 1, 0, block, bytes, allocated, reserved); });
    engine.execute({{1}}, {at::Tensor(2)}, false, false, false, {{3}});
    return engine.threads;
}
