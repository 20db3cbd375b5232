"""The graph encoder of GA-DRG (equations 6 to 8): a graph becomes one vector that a language model reads as a token.

Layers of graph transformer convolution with layer norm (GTC-LN; Shi et al., 2020), to which edges bring their relations,
then the mean over the nodes and the projector (GKProj). What the paper leaves open is told in
docs/adr/0035-what-ga-drg-leaves-open.md. torch is imported when an encoder is made, not before.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GraphEncoderConfig:
    """`width` is that of the embeddings, and of every layer; `out` that of the language model's token embeddings."""

    width: int
    out: int
    layers: int = 4
    heads: int = 4


def graph_encoder(config: GraphEncoderConfig) -> Any:
    """Return a fresh encoder: a module that takes the arrays of `EmbeddedGraphs` as tensors, and gives a vector a graph."""
    from torch import nn
    from torch_geometric.nn import TransformerConv, global_mean_pool

    class GraphEncoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width, share = config.width, config.width // config.heads
            self.layers = nn.ModuleList(
                TransformerConv(width, share, heads=config.heads, edge_dim=width) for _ in range(config.layers)
            )
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
            self.projector = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, config.out))

        def forward(self, nodes: Any, edges: Any, relations: Any, owners: Any, *, count: int) -> Any:
            hidden = nodes
            for layer, norm in zip(self.layers, self.norms, strict=True):
                hidden = norm(layer(hidden, edges, relations))
            return self.projector(global_mean_pool(hidden, owners, size=count))

    return GraphEncoder()
