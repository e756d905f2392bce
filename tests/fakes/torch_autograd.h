// What torch_cpu.cpp and torch_python.cpp share; the mangled name of Engine::execute is that of the real library.
#ifndef MEMTRACE_TESTS_FAKES_TORCH_AUTOGRAD_H
#define MEMTRACE_TESTS_FAKES_TORCH_AUTOGRAD_H

#include <functional>
#include <vector>

namespace at {

class Tensor {
  public:
    explicit Tensor(int value) : value_(value) {
    }
    int value() const {
        return value_;
    }

  private:
    int value_;
};

} // namespace at

namespace torch::autograd {

struct Edge {
    int value;
};

class Engine {
  public:
    virtual ~Engine() = default;
    virtual std::vector<at::Tensor> execute(const std::vector<Edge> &roots, const std::vector<at::Tensor> &inputs,
                                            bool keep_graph, bool create_graph, bool accumulate_grad,
                                            const std::vector<Edge> &outputs);
    // What a node of the next execute does, on a thread of the engine's own.
    void set_work(std::function<void()> work) {
        work_ = std::move(work);
    }

  protected:
    virtual void thread_init();
    void thread_main();

  private:
    std::function<void()> work_;
};

} // namespace torch::autograd

#endif
