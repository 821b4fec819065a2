"""Jitted loops: arrays in, arrays out.

The only package that imports numba; its callers check the input.
"""
