"""Embeddings: what a trained network sees in a picture, as a vector of length 1.

    v = f((resize(rgb) / 255 - mean) / std),   embedding = v / ‖v‖

`embedding` is EfficientNet-Lite0 in 8 bits, from a file in the package; `embedding-float32` the
same in full; `embedding@model.onnx` is any image encoder by file, and a text encoder beside it
makes pictures findable by words.

    weights       tensors from a PyTorch file, nothing else
    efficientnet  those of EfficientNet-Lite0 as layers, and as an ONNX graph in float32
    cache         where that graph is kept
    session       a model opened once in each process
    settings      what a model file says about its input
    encoder       pictures → vectors, and the positions they are the means of
    parts         positions as a store keeps them: 80 bytes each
    text          words → vectors in the same space
"""

from __future__ import annotations

from saccade.descriptors.embedding.encoder import Embedding, FileEmbedding, Float32Embedding

__all__ = ["Embedding", "FileEmbedding", "Float32Embedding"]
