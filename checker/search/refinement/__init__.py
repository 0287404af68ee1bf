"""Refinement: runs of a model beside those of an abstract one."""
