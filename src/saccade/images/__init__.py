"""From a folder to pictures: what to read, which image it is, and its pixels.

    scan        folder → files that look like images, in a fixed order
    identity    bytes → the name of the image
    decode      bytes → the picture a viewer shows, shrunk on the way in
    picture     pixels and the planes made from them, each made once
    thumbnails  picture → small WebP
    saliency    picture → where people look
    regions     picture → its parts

This file imports none of them: each brings libraries that not every command needs.
"""
