"""The checks that only read, as plain functions: each gives a Finding for every fault.

The pytest classes and `recall providers --check` use the same ones. None of them needs pytest.
"""
