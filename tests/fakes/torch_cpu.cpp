// A stand-in for libtorch_cpu.so: an engine whose answer holds every argument, and that throws when it has no roots.
// Its one node runs on a thread of the engine.
#include "tests/fakes/torch_autograd.h"

#include <stdexcept>
#include <thread>

namespace torch::autograd::generated {

struct MmBackward0 {
    int runs = 0;
    void apply(const std::function<void()> &work) __attribute__((noinline));
};

void MmBackward0::apply(const std::function<void()> &work) {
    work();
    runs++; // behind the call, or this would be no frame of it
}

} // namespace torch::autograd::generated

namespace torch::autograd {

void Engine::thread_main() {
    generated::MmBackward0 node;
    node.apply(work_);
    work_ = nullptr;
}

void Engine::thread_init() {
    thread_main();
}

std::vector<at::Tensor> Engine::execute(const std::vector<Edge> &roots, const std::vector<at::Tensor> &inputs,
                                        bool keep_graph, bool create_graph, bool accumulate_grad,
                                        const std::vector<Edge> &outputs) {
    if (roots.empty()) throw std::runtime_error("no roots");
    if (work_) std::thread([this] { thread_init(); }).join();
    int flags = 4 * keep_graph + 2 * create_graph + accumulate_grad;
    return {at::Tensor(roots[0].value), at::Tensor(inputs[0].value()), at::Tensor(flags), at::Tensor(outputs[0].value)};
}

} // namespace torch::autograd
