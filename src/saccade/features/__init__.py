"""Similarities, schemes and φ."""
