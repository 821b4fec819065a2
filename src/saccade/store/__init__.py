"""The only code that knows paths, SQL and bytes."""
