"""Bags of visual words: from local features to a ranked list.

    local_features  image → RootSIFT descriptors (bytes) and where they were found
    vocabulary      descriptors → words; one file, named by its digest
    akm, hkm        train a vocabulary: approximate k-means, vocabulary tree
    sizing          which vocabulary suits a collection
    geometry        do the matched words of two images lie in the same arrangement?
    weighting, inverted, retrieval
                    bags → scores

The shapes that all of them share:

    descriptors  uint8   [n, 128]   one row per feature
    words        int32   [n]        one word per feature, in the order of the features
    a bag        (words int32 [u], sorted and unique; counts int32 [u])
    a collection of bags is ragged: values end to end, image i at offsets[i]:offsets[i + 1]

This file imports none of them: each brings libraries that not every command needs.
"""
