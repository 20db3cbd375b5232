// The picture of a graph: shows what it is given, keeps what it has in its place, and says what is chosen or to be opened.
import { LABEL_WIDTH, NODE_WIDTH, laidOut, placeName } from "./graph_layout.js";
import { View } from "./graph_view.js";
import { cutTo, linesOf, widthOf, writeAs } from "./graph_words.js";

const SVG = "http://www.w3.org/2000/svg";
const BESIDE = 9;
const ABOVE = 5;
const LINE = 17;
const LINES = 3;
// Narrower than this, all stands on one side of the middle.
const TWO_SIDED = 620;
const KEPT = 2000;

function drawn(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

const labelOf = ({ label, state }) => ({ added: `+ ${label}`, superseded: `− ${label}` })[state] ?? label;
const boxOf = ({ x, y, width, height }) => ({ x: x - width / 2, y: y - height / 2, width, height });

function around(boxes) {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return { x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}

function remembered(key) {
  const { kept, widths } = JSON.parse(sessionStorage.getItem(key) ?? "{}");
  return { kept: new Map(kept), widths: new Map(widths) };
}

export class Picture extends EventTarget {
  #space;
  #svg = drawn("svg", { class: "graph-canvas", "aria-hidden": "true" });
  #links = drawn("g");
  #things = drawn("g");
  #view;
  #nodes = new Map();
  #edges = new Map();
  #places = new Map();
  #routes = new Map();
  #key = "";
  #chosen = "";

  constructor(container, space) {
    super();
    this.#space = space;
    const sheet = drawn("g", { class: "graph-sheet" }, this.#links, this.#things);
    this.#svg.append(sheet);
    container.replaceChildren(this.#svg);
    writeAs(container);
    this.#view = new View(this.#svg, sheet);
    this.#svg.addEventListener("click", ({ target }) => {
      const id = target.closest("[data-id]")?.dataset.id;
      if (this.#nodes.get(id)?.is_fold) this.#open(id);
      else if (id) this.choose(id, { said: true });
    });
    this.#svg.addEventListener("dblclick", ({ target }) => this.#open(target.closest("[data-id]")?.dataset.id));
  }

  isIn(container) {
    return container.contains(this.#svg);
  }

  // What is shown for the first time, and what is no longer so or new where time is compared, comes into view.
  show({ nodes, edges }, { fit = false } = {}) {
    const root = nodes.find((node) => node.is_root);
    const shown = [...this.#nodes.keys(), ...this.#edges.keys()];
    this.#nodes = new Map(nodes.map((node) => [node.id, { ...node, ...this.#sizeOf(node) }]));
    this.#edges = new Map(edges.map((edge) => [edge.id, { ...edge, ...this.#labelSizeOf(edge) }]));
    const { key, kept, places, routes, widths: grown } = this.#laid(`graph-places:${this.#space}:${root?.id ?? ""}`);
    const isOther = key !== this.#key;
    const before = new Set(isOther ? [] : shown);
    this.#key = key;
    this.#places = places;
    this.#routes = routes;
    for (const [id, { y, column }] of places) {
      const name = placeName(id, column);
      kept.delete(name);
      kept.set(name, y);
    }
    sessionStorage.setItem(key, JSON.stringify({ kept: [...kept].slice(-KEPT), widths: [...grown] }));
    this.#draw(before);
    this.#lead(before, fit, isOther, root);
  }

  // On both sides of the middle where that can be read without moving it, else on one; what is open keeps its sides.
  #laid(place) {
    const lay = (sides) => {
      const key = `${place}:${sides}`;
      const { kept, widths } = remembered(key);
      return { key, kept, ...laidOut([...this.#nodes.values()], [...this.#edges.values()], { sides, kept, widths }) };
    };
    if (this.#view.size.width < TWO_SIDED || this.#key === `${place}:1`) return lay(1);
    const both = lay(2);
    if (this.#key === both.key || !both.places.size) return both;
    return this.#view.fits(around([...both.places.values()].map(boxOf))) ? both : lay(1);
  }

  #lead(before, fit, isOther, root) {
    if (!this.#nodes.size) return;
    const changed = [...this.#edges.values()].filter(({ id, state }) => !before.has(id) && state !== "holds");
    const smooth = before.size > 0;
    const fresh = [...this.#nodes.keys()].filter((id) => !before.has(id));
    if (changed.length) this.#view.show(around(changed.map(({ id }) => this.#boxOf(id))), { around: this.#boxOf(changed[0].id), smooth });
    else if (isOther) this.#view.show(this.#whole, { around: root && this.#boxOf(root.id), smooth });
    else if (fit && fresh.length) this.#view.show(this.#whole, { around: around(fresh.map((id) => this.#boxOf(id))) });
    else if (![...this.#nodes.keys()].some((id) => this.#view.sees(this.#boxOf(id)))) this.fit();
  }

  get #whole() {
    return around([...this.#nodes.keys(), ...this.#edges.keys()].map((id) => this.#boxOf(id)));
  }

  // The box of a thing, or of a link with both of its ends.
  #boxOf(id) {
    const edge = this.#edges.get(id);
    if (!edge) return boxOf(this.#places.get(id));
    return around([edge.source, edge.target].map((end) => this.#boxOf(end)));
  }

  fit() {
    this.#view.show(this.#whole, { whole: true });
  }

  zoom(how) {
    if (how === "fit") this.fit();
    else if (how === "in") this.#view.larger();
    else this.#view.smaller();
  }

  #sizeOf(node) {
    const lines = linesOf(node.label, NODE_WIDTH - 2 * BESIDE, LINES);
    if (node.badge) {
      const last = `${lines.at(-1)}  ${node.badge}`;
      if (widthOf(last) <= NODE_WIDTH - 2 * BESIDE) lines[lines.length - 1] = last;
      else lines.push(node.badge);
    }
    return { lines, width: Math.max(...lines.map(widthOf)) + 2 * BESIDE, height: lines.length * LINE + 2 * ABOVE };
  }

  #labelSizeOf(edge) {
    const shown = cutTo(LABEL_WIDTH, labelOf(edge));
    return { shown, width: widthOf(shown) };
  }

  #draw(before) {
    const classes = (data, kind) => [kind, ...["root", "speaker", "value", "fold", "denied", "place"].filter((is) => data[`is_${is}`]).map((is) => `is-${is}`),
      data.state ? `is-${data.state}` : "", before.size && !before.has(data.id) ? "is-new" : "", data.id === this.#chosen ? "is-chosen" : ""].filter(Boolean).join(" ");
    this.#links.replaceChildren(...[...this.#edges.values()].map((edge) => {
      const { path, label, tip, tail } = this.#routes.get(edge.id);
      const parts = [drawn("path", { class: "reach", d: path }), drawn("path", { class: "line", d: path })];
      if (tip && !edge.is_place) parts.push(arrow(tip, edge.is_denied));
      if (tail && edge.is_mutual) parts.push(arrow(tail));
      if (edge.shown) parts.push(drawn("text", { x: label.x, y: label.y, class: "label" }, edge.shown));
      return drawn("g", { class: classes(edge, "link"), "data-id": edge.id }, drawn("title", {}, edge.words ?? edge.label), ...parts);
    }));
    this.#things.replaceChildren(...[...this.#nodes.values()].map((node) => {
      const { x, y, width, height } = this.#places.get(node.id);
      const top = -((node.lines.length - 1) * LINE) / 2;
      const box = drawn("rect", { x: -width / 2, y: -height / 2, width, height, rx: node.is_speaker ? Math.min(height / 2, 18) : node.is_value ? 0 : 6 });
      const text = drawn("text", {}, ...node.lines.map((line, at) => drawn("tspan", { x: 0, y: top + at * LINE }, ...badged(line, node.badge))));
      return drawn("g", { class: classes(node, "thing"), "data-id": node.id, transform: `translate(${x} ${y})` }, drawn("title", {}, [node.label, node.more].filter(Boolean).join(", ")), box, text);
    }));
  }

  choose(id, { said = false } = {}) {
    for (const element of this.#svg.querySelectorAll(".is-chosen")) element.classList.remove("is-chosen");
    const data = this.#nodes.get(id) ?? this.#edges.get(id);
    this.#chosen = data ? id : "";
    if (!data) return;
    this.#svg.querySelector(`[data-id="${CSS.escape(id)}"]`).classList.add("is-chosen");
    if (!said) return;
    this.#view.reveal(this.#boxOf(id));
    this.dispatchEvent(new CustomEvent("chosen", { detail: data }));
  }

  openChosen() {
    this.#open(this.#chosen);
  }

  // The nearest thing in the direction of an arrow key, or the one in the middle.
  move(dx, dy) {
    const start = this.#nodes.has(this.#chosen) ? this.#places.get(this.#chosen) : null;
    if (!start) return this.choose([...this.#nodes.values()].find((node) => node.is_root)?.id ?? [...this.#nodes.keys()][0], { said: true });
    // What is in the same row or column as far as it reaches is straight ahead.
    const aside = ([, place]) => {
      const [x, y] = [place.x - start.x, place.y - start.y];
      const [wide, high] = [Math.max(0, Math.abs(x) - (place.width + start.width) / 2), Math.max(0, Math.abs(y) - (place.height + start.height) / 2)];
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * (dx ? high : wide) : Infinity;
    };
    // Up and down stay in a column while there is one.
    const column = [...this.#places].filter(([, place]) => place.column === start.column);
    const within = dy && column.length > 1 ? column : [...this.#places];
    const [next] = within.map((one) => [aside(one), one[0]]).sort((a, b) => a[0] - b[0]);
    if (Number.isFinite(next?.[0])) this.choose(next[1], { said: true });
  }

  // The next or the last fact of the thing that was chosen, around it.
  step(by) {
    const chosen = this.#edges.get(this.#chosen);
    const thing = chosen?.source ?? this.#chosen;
    const facts = [...this.#edges.values()].filter((edge) => !edge.is_fold && (!thing || edge.source === thing || edge.target === thing));
    if (!facts.length) return;
    const at = facts.findIndex((edge) => edge.id === this.#chosen);
    this.choose(facts.at((at < 0 && by < 0 ? 0 : at + by) % facts.length).id, { said: true });
  }

  #open(id) {
    const node = this.#nodes.get(id);
    if (node?.entity || node?.opens) this.dispatchEvent(new CustomEvent("open", { detail: node }));
  }
}

// How much more there is stands in other letters than the name.
function badged(line, badge) {
  if (!badge || !line.endsWith(badge)) return [line];
  return [line.slice(0, -badge.length), drawn("tspan", { class: "badge" }, badge)];
}

function arrow({ x, y, way }, isDenied = false) {
  return drawn("path", { class: "tip", d: isDenied ? `M ${x - 4 * way} ${y - 5} h ${2 * way} v 10 h ${-2 * way} z` : `M ${x} ${y} l ${-8 * way} -4 v 8 z` });
}
