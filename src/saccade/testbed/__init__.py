"""The testbed: worlds drawn by code, data sets, simulated people and the measures to judge with.

It stands above the engine and knows what the engine may not: the right answer. Import the module
you need (`saccade.testbed.worlds`, `.datasets`, `.people`, `.measures`); this package imports none.
"""
