// Where everything of a picture stands: pure, from sizes to places. A thing stands in the column of its distance from the
// middle, right or left of it, and before each column there is room for the labels of the links that lead into it, a row for each.
// So nothing can lie on anything else, and links run where nothing stands. What was placed before keeps its place.
export const NODE_WIDTH = 156;
export const LABEL_WIDTH = 104;
const ARROW = 16;
const FAN = 34;
const ROW = 18;
const GAP = 8;
const LOOP = 30;
// Columns are as wide as what is in them, in steps, and never become narrower: what grows moves little.
const LABEL_STEP = 24;
const NODE_STEP = 32;

const columnOf = ({ side, rank }) => `${rank ? side : 0}:${rank}`;
export const placeName = (id, column) => `${id} ${column}`;
const numberOf = (id) => Number(id.match(/\d+/)?.[0] ?? 0);

// `nodes` have an id, a width and a height; `edges` an id, a source, a target and the width of their label; `kept` has
// the heights at which things stood in their columns, and `widths` is what this returned before. Returns places by the ids of nodes, and by those of edges their routes: the path, the middle
// of the label, and where the path ends, with the way in which it comes there.
export function laidOut(nodes, edges, { sides = 2, kept = new Map(), widths = new Map() } = {}) {
  const tree = treeOf(nodes, edges);
  const columns = new Map();
  sized(tree, edges);
  sided(tree, sides, kept);
  const grown = widthsOf(tree, edges, widths);
  const near = nearOf(tree, grown);
  for (const one of tree.values()) one.x = one.rank ? near(one) + (one.side * one.width) / 2 : 0;
  const stay = [...tree.values()].filter((one) => stays(one, kept.get(placeName(one.id, columnOf(one))), columns));
  if (stay.length) placeAmong(tree, columns);
  else placeAll(tree);
  const places = new Map([...tree.values()].map((one) => [one.id, { x: one.x, y: one.y, width: one.width, height: one.height, column: columnOf(one) }]));
  return { places, routes: routesOf(tree, edges, grown, near), widths: grown };
}

// Each thing with its distance from the middle of its part, and the thing through which it was reached. The middle is what
// is said to be it, elsewhere what has the most links.
function treeOf(nodes, edges) {
  const tree = new Map(nodes.map((node) => [node.id, { ...node, links: [], children: [], ports: [], rank: -1, side: 0, parent: null }]));
  for (const edge of edges) {
    tree.get(edge.source).links.push(edge.target);
    if (edge.target !== edge.source) tree.get(edge.target).links.push(edge.source);
  }
  const starts = [...tree.values()].sort((a, b) => (b.is_root ?? false) - (a.is_root ?? false) || b.links.length - a.links.length || numberOf(a.id) - numberOf(b.id));
  for (const start of starts) {
    if (start.rank >= 0) continue;
    start.rank = 0;
    for (const queue = [start]; queue.length; ) {
      const one = queue.shift();
      for (const other of one.links.map((id) => tree.get(id))) {
        if (other.rank >= 0) continue;
        other.rank = one.rank + 1;
        other.parent = one;
        one.children.push(other);
        queue.push(other);
      }
    }
  }
  return tree;
}

// A thing is at least as high as the rows of the links that lead into it, one below the other.
function sized(tree, edges) {
  for (const edge of edges) {
    const [source, target] = [tree.get(edge.source), tree.get(edge.target)];
    if (source === target && source.rank === 0) source.loops = (source.loops ?? 0) + 1;
    else if (source === target) source.ports.push(edge, edge);
    else {
      if (source.rank >= target.rank) source.ports.push(edge);
      if (target.rank >= source.rank) target.ports.push(edge);
    }
  }
  for (const one of tree.values()) {
    one.height = Math.max(one.height, one.ports.length * ROW);
    one.room = one.height + GAP + 2 * LOOP * (one.loops ?? 0);
  }
}

// What hangs together without the middle stands on one side of it; the sides are about as high as each other.
function sided(tree, sides, kept) {
  const bands = (one) => (one.band ??= Math.max(one.room, one.children.reduce((sum, child) => sum + bands(child), 0)));
  for (const root of tree.values()) {
    if (root.rank > 0) continue;
    bands(root);
    const groups = togetherness(root, tree);
    const heightOf = (group) => group.reduce((sum, one) => sum + (one.rank === 1 ? one.band : 0), 0);
    const half = groups.reduce((sum, group) => sum + heightOf(group), 0) / 2;
    const high = { 1: 0, [-1]: 0 };
    const sideOf = new Map();
    const stood = (group) => [1, -1].find((side) => group.some(({ id, rank }) => kept.has(placeName(id, columnOf({ side, rank })))));
    for (const group of groups) {
      const before = stood(group);
      if (sides === 2 && before) sideOf.set(group, before);
      if (sideOf.has(group)) high[sideOf.get(group)] += heightOf(group);
    }
    const isGrown = sideOf.size > 0;
    for (const group of groups) {
      if (!sideOf.has(group)) {
        const isRight = sides === 1 || (isGrown ? high[1] <= high[-1] : high[1] + heightOf(group) / 2 <= half);
        sideOf.set(group, isRight ? 1 : -1);
        high[isRight ? 1 : -1] += heightOf(group);
      }
      for (const one of group) one.side = sideOf.get(group);
    }
  }
}

// By column, the width of its things and of the labels before them.
function widthsOf(tree, edges, before) {
  const widths = new Map(before);
  const widen = (column, thing, label) => {
    const known = widths.get(column) ?? { thing: 0, label: 0 };
    widths.set(column, {
      thing: Math.max(known.thing, Math.ceil(thing / NODE_STEP) * NODE_STEP),
      label: Math.max(known.label, Math.ceil(label / LABEL_STEP) * LABEL_STEP),
    });
  };
  for (const one of tree.values()) widen(columnOf(one), one.width, Math.max(0, ...one.ports.map((edge) => edge.width)));
  return widths;
}

// Where a column begins, on the side of the middle.
function nearOf(tree, widths) {
  const near = (side, rank) => {
    let at = widths.get("0:0").thing / 2;
    for (let next = 1; next <= rank; next += 1) {
      const { thing, label } = widths.get(`${side}:${next}`);
      at += FAN + label + ARROW + (next < rank ? thing : 0);
    }
    return at;
  };
  const known = new Map();
  return (one) => {
    const column = columnOf(one);
    if (!known.has(column)) known.set(column, one.side * near(one.side, one.rank));
    return known.get(column);
  };
}

function togetherness(root, tree) {
  const groups = [];
  const seen = new Set([root.id]);
  for (const child of root.children) {
    if (seen.has(child.id)) continue;
    const group = [];
    seen.add(child.id);
    for (const queue = [child]; queue.length; ) {
      const one = queue.shift();
      group.push(one);
      for (const id of one.links) {
        if (!seen.has(id)) queue.push(tree.get(id));
        seen.add(id);
      }
    }
    groups.push(group);
  }
  return groups;
}

function takenIn(columns, one) {
  if (!columns.has(columnOf(one))) columns.set(columnOf(one), []);
  return columns.get(columnOf(one));
}

const isFree = (taken, y, room) => taken.every((other) => Math.abs(other.y - y) * 2 >= other.room + room);

function stays(one, before, columns) {
  const taken = takenIn(columns, one);
  if (before === undefined || !isFree(taken, before, one.room)) return false;
  one.y = before;
  taken.push(one);
  return true;
}

// All at once: each thing has a band of its own, as high as all that was reached through it.
function placeAll(tree) {
  const within = (one, top) => {
    one.y = top + one.band / 2;
    for (const side of [1, -1]) {
      const children = one.children.filter((child) => child.side === side);
      let next = top + (one.band - children.reduce((sum, child) => sum + child.band, 0)) / 2;
      for (const child of children) {
        within(child, next);
        next += child.band;
      }
    }
  };
  let top = 0;
  const roots = [...tree.values()].filter((one) => !one.rank);
  for (const root of roots.sort((a, b) => (b.is_root ?? false) - (a.is_root ?? false))) {
    const side = (which) => root.children.reduce((sum, child) => sum + (child.side === which ? child.band : 0), 0);
    root.band = Math.max(root.room, side(1), side(-1));
    within(root, top);
    top += root.band + 2 * GAP;
  }
}

// What is new comes as near as there is room to what it is linked to.
function placeAmong(tree, columns) {
  const waiting = [...tree.values()].filter((one) => one.y === undefined).sort((a, b) => a.rank - b.rank);
  for (const one of waiting) {
    const taken = takenIn(columns, one);
    const siblings = one.parent?.children.filter((other) => other !== one && other.y !== undefined && other.side === one.side) ?? [];
    const last = siblings.sort((a, b) => b.y - a.y)[0];
    const all = [...columns.values()].flat();
    const wanted = last ? last.y + (last.room + one.room) / 2 : one.parent?.y ?? Math.max(...all.map((other) => other.y + other.room / 2)) + one.room;
    const places = [wanted, ...taken.flatMap((other) => [1, -1].map((way) => other.y + (way * (other.room + one.room)) / 2))];
    one.y = places.filter((y) => isFree(taken, y, one.room)).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
    taken.push(one);
  }
}

// Out of the nearer thing along its own row, over in the gap between the columns, and along a row of the farther thing.
function routesOf(tree, edges, widths, nearOf) {
  const rows = new Map([...tree.values()].map((one) => [one.id, rowsOf(one, tree)]));
  const loops = new Map();
  return new Map(edges.map((edge) => {
    const [source, target] = [tree.get(edge.source), tree.get(edge.target)];
    if (source === target && !source.rank) {
      const number = loops.get(source) ?? 0;
      loops.set(source, number + 1);
      return [edge.id, loopRoute(source, number)];
    }
    const farther = target.rank >= source.rank ? target : source;
    const rowIn = (one) => rows.get(one.id).get(edge.id);
    const [into, back] = source === target ? rowIn(source) : [rowIn(farther)[0], rowIn(farther === target ? source : target)?.[0]];
    const near = nearOf(farther);
    const gap = near - farther.side * (ARROW + widths.get(columnOf(farther)).label);
    const label = { x: near - farther.side * (ARROW + edge.width / 2), y: into };
    if (source.rank === target.rank) {
      const turn = gap - farther.side * FAN;
      const ends = { tip: { x: near, y: into, way: farther.side }, tail: { x: near, y: back, way: farther.side } };
      return [edge.id, { path: `M ${near} ${back} H ${gap} C ${turn} ${back} ${turn} ${into} ${gap} ${into} H ${near}`, label, ...ends }];
    }
    const nearer = farther === target ? source : target;
    const out = nearer.x + (farther.side * nearer.width) / 2;
    const over = gap - farther.side * FAN;
    const bend = (over + gap) / 2;
    const there = `M ${out} ${nearer.y} H ${over} C ${bend} ${nearer.y} ${bend} ${into} ${gap} ${into} H ${near}`;
    const backAgain = `M ${near} ${into} H ${gap} C ${bend} ${into} ${bend} ${nearer.y} ${over} ${nearer.y} H ${out}`;
    const outer = { x: near, y: into, way: farther.side };
    const inner = { x: out, y: nearer.y, way: -farther.side };
    if (farther === target) return [edge.id, { path: there, label, tip: outer, tail: inner }];
    return [edge.id, { path: backAgain, label, tip: inner, tail: outer }];
  }));
}

function rowsOf(one, tree) {
  const other = (edge) => tree.get(edge.source === one.id ? edge.target : edge.source);
  const ordered = one.ports.toSorted((a, b) => other(a).y - other(b).y);
  const rows = new Map();
  ordered.forEach((edge, at) => {
    rows.set(edge.id, [...(rows.get(edge.id) ?? []), one.y + (at - (ordered.length - 1) / 2) * ROW]);
  });
  return rows;
}

function loopRoute(one, number) {
  const top = one.y - one.height / 2;
  const lift = LOOP * (number + 1);
  return { path: `M ${-one.width / 4} ${top} V ${top - lift + 8} H ${one.width / 4} V ${top}`, label: { x: 0, y: top - lift + 8 } };
}
