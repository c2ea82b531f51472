"""What Psychas & Ghaderi (2019) claim of the policies: queues that stay bounded."""

from __future__ import annotations

from slotscope.model.measures.monitors import Claim

CLAIMS = (
    Claim(
        "stable",
        "The mean queue stays bounded, as it does under a policy whose share of ρ* is not passed",
        "sup_t E[Q(t)] < ∞",
        "Section II; Theorems 2, 3 and 4",
    ),
)
