// Where each thing stands in the picture. A thing that was placed once keeps its place: when time moves, when others come,
// and when it goes and comes back. The first places are the same for the same graph.
const KEPT = 2000;
const RING = 150;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export class Places {
  #key;
  #places;

  constructor(space) {
    this.#key = `graph-places:${space}`;
    this.#places = new Map(JSON.parse(sessionStorage.getItem(this.#key) ?? "[]"));
  }

  of(id) {
    return this.#places.get(id);
  }

  keep(nodes) {
    nodes.forEach((node) => {
      const { x, y } = node.position();
      this.#places.delete(node.id());
      this.#places.set(node.id(), { x: Math.round(x), y: Math.round(y) });
    });
    sessionStorage.setItem(this.#key, JSON.stringify([...this.#places].slice(-KEPT)));
  }
}

// Gives every new node a first place: around a neighbour that has one, the next free angle after those around it.
export function placeNew(fresh, placed) {
  const around = new Map();
  const isPlaced = new Set(placed.map((node) => node.id()));
  const waiting = fresh.toArray().sort((a, b) => (b.data("is_root") ?? false) - (a.data("is_root") ?? false) || b.degree() - a.degree());
  while (waiting.length) {
    const at = Math.max(waiting.findIndex((node) => node.neighborhood("node").some((other) => isPlaced.has(other.id()))), 0);
    const [node] = waiting.splice(at, 1);
    const anchor = node.neighborhood("node").toArray().find((other) => isPlaced.has(other.id()));
    const turn = around.get(anchor?.id()) ?? (anchor ? anchor.degree() : 0);
    around.set(anchor?.id(), turn + 1);
    const centre = anchor?.position() ?? { x: 0, y: 0 };
    const reach = anchor ? RING * (1 + turn / 24) : isPlaced.size ? RING * 3 : 0;
    node.position({ x: centre.x + reach * Math.cos(turn * GOLDEN_ANGLE), y: centre.y + reach * Math.sin(turn * GOLDEN_ANGLE) });
    isPlaced.add(node.id());
  }
}
