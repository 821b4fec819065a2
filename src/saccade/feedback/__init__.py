"""Events into preferences."""
