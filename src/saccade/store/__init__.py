"""The only code that knows paths, SQL and bytes.

A store keeps (name, arrays) pairs and events; what they mean is the engine's business.
"""
