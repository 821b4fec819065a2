"""Conformance suites: does a part keep its contract? Shipped, so that plug-ins can be judged."""
