"""Models with random weights and one training step each, for the comparisons with torch's own recorder."""

import torch
import torchvision


def mlp():
    model = torch.nn.Sequential(
        torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)
    )
    return model, lambda: torch.randn(64, 1024, device="cuda"), lambda out: out.square().mean()


def transformer():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_head=4, n_embd=256, vocab_size=1000))
    return model, lambda: torch.randint(0, 1000, (4, 128), device="cuda"), lambda out: out.logits.float().square().mean()


def vgg19():
    model = torchvision.models.vgg19(weights=None)
    return model, lambda: torch.randn(4, 3, 224, 224, device="cuda"), lambda out: out.square().mean()


def resnet18():
    model = torchvision.models.resnet18(weights=None)
    return model, lambda: torch.randn(4, 3, 224, 224, device="cuda"), lambda out: out.square().mean()


class Training:
    """A model on the GPU with AdamW; step() trains once on fresh random input."""

    def __init__(self, name):
        torch.manual_seed(0)
        model, self.make_input, self.loss = {
            "mlp": mlp, "transformer": transformer, "vgg19": vgg19, "resnet18": resnet18
        }[name]()
        self.model = model.cuda().train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)

    def step(self):
        self.optimizer.zero_grad()
        loss = self.loss(self.model(self.make_input()))
        loss.backward()
        self.optimizer.step()
        return loss
