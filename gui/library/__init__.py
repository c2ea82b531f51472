"""slotscope: a laboratory in which cluster-scheduling policies run in front of your eyes.

This folder is what ``import slotscope`` finds; ``model``, ``gui`` and ``resources`` are its packages.
Nothing here imports Qt before something is shown.
"""
