"""Providers with one fault each, and one of each kind without any: the contract must tell them apart."""
