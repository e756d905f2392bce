// A stand-in for libtorch_python.so: its engine calls the base class's execute through the dynamic linker, as the real
// PythonEngine does.
#include "tests/fakes/torch_autograd.h"

#include <exception>

namespace {

class PythonEngine : public torch::autograd::Engine {
  public:
    std::vector<at::Tensor> execute(const std::vector<torch::autograd::Edge> &roots,
                                    const std::vector<at::Tensor> &inputs, bool keep_graph, bool create_graph,
                                    bool accumulate_grad, const std::vector<torch::autograd::Edge> &outputs) override {
        return Engine::execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
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
