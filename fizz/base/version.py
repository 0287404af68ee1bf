"""The version of the tool: of the distribution, and part of the key under which parsed models are cached."""

VERSION = "0.1.0"
