"""What is left of a store when the power fails: every write recorded, then lost again.

    recorder   runs a program and writes down every change it makes to files, in order
    disk       a disk that remembers what was synced, and forgets, keeps or tears the rest
    workload   a life in a store: add, react, undo, say, forget, prune, train, snapshots
    trial      cuts the power at some point and looks whether the store is well

A full run, with a table:    python tests/endurance/power_cuts.py --cuts 2000

Linux only (x86-64 and aarch64): the kernel stops the program at each change and asks us first.
"""
