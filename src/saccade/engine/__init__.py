"""The loop: the only package that knows every part."""
