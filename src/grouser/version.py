"""The version of the package, in the one place that nothing else depends on."""

VERSION = "0.1.0"
