// Where each thing stands in the picture. A thing that was placed once keeps its place: when time moves, when others come,
// and when it goes and comes back. The first places are the same for the same graph.
const KEPT = 2000;
const RING = 150;
const APART = 14;
const PASSES = 80;
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

// Moves new nodes off those that they lie on, each time along the shorter way; what was placed before stays.
export function separate(fresh, placed) {
  const box = (node, isFixed) => ({ node, isFixed, ...node.position(), w: node.outerWidth() + APART, h: node.outerHeight() + APART });
  const moving = fresh.toArray().map((node) => box(node, false));
  const boxes = [...moving, ...placed.toArray().map((node) => box(node, true))];
  for (let pass = 0, isCrowded = true; isCrowded && pass < PASSES; pass += 1) {
    isCrowded = false;
    for (const [at, one] of moving.entries()) {
      for (const other of boxes.slice(at + 1)) {
        const [x, y] = [(one.w + other.w) / 2 - Math.abs(one.x - other.x), (one.h + other.h) / 2 - Math.abs(one.y - other.y)];
        if (x <= 0 || y <= 0) continue;
        isCrowded = true;
        const [axis, depth] = x < y ? ["x", x] : ["y", y];
        const way = one[axis] < other[axis] ? -1 : 1;
        one[axis] += way * (other.isFixed ? depth : depth / 2);
        if (!other.isFixed) other[axis] -= way * (depth / 2);
      }
    }
  }
  for (const { node, x, y } of moving) node.position({ x, y });
}
