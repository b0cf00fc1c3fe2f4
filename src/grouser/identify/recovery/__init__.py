"""Does identification find what is known? Random robots drive, with noise, and are identified."""

from grouser.identify.recovery.recover import Recovery, recover

__all__ = ["Recovery", "recover"]
