"""One epoch of a network of dense layers in PyTorch: ReLU, a logistic output, plain gradient descent in batches."""

import sys

import numpy as np
import torch
from peer import serve

folder, rows, sizes, batch, rate, threads = sys.argv[1:]
rows, batch, rate = int(rows), int(batch), float(rate)
sizes = [int(size) for size in sizes.split(",")]
torch.set_num_threads(int(threads))
X = torch.from_numpy(np.fromfile(f"{folder}/features", dtype="<f4").reshape(rows, sizes[0]))
y = torch.from_numpy(np.fromfile(f"{folder}/labels", dtype="<i4").astype("f4").reshape(rows, 1))
initial = [
    np.fromfile(f"{folder}/weights{l}", dtype="<f4").reshape(sizes[l + 1], sizes[l]) for l in range(len(sizes) - 1)
]


def network():
    layers = []
    for weights in initial:
        layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(weights))
            layer.bias.zero_()
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def work():
    net = network()
    optimiser = torch.optim.SGD(net.parameters(), lr=rate)
    loss_of = torch.nn.BCEWithLogitsLoss()
    order = torch.randperm(rows)
    total = 0.0
    for first in range(0, rows, batch):
        chosen = order[first : first + batch]
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(net(X[chosen]), y[chosen])
        loss.backward()
        optimiser.step()
        total += loss.item() * len(chosen)
    return {"loss": total / rows}


serve(work)
