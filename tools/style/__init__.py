# SPDX-License-Identifier: Apache-2.0
"""The house style as a lint: sources, rules, C++ scanning. tools/tidy.py runs it."""
