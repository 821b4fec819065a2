"""Embeddings: what a trained network sees in a picture, as a vector of length 1.

    v = f((resize(rgb) / 255 - mean) / std),   embedding = v / ‖v‖

`embedding` is EfficientNet-Lite0; `embedding@model.onnx` is any image encoder by file, and a text
encoder beside it makes pictures findable by words.

    weights       tensors from a PyTorch file, nothing else
    efficientnet  those of EfficientNet-Lite0 as an ONNX graph
    cache         where that graph is kept
    session       a model opened once in each process
    settings      what a model file says about its input
    encoder       pictures → vectors
    text          words → vectors in the same space
"""

from __future__ import annotations

from saccade.descriptors.embedding.encoder import Embedding, FileEmbedding

__all__ = ["Embedding", "FileEmbedding"]
