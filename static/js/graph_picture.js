// The picture of a graph: shows what it is given, keeps what it has in its place, and says what is chosen or to be opened.
import { Places, placeNew, separate } from "./graph_places.js";
import { styleOf } from "./graph_style.js";

const FADE_MS = 200;
const ZOOM_STEP = 1.25;
const FITTED = 1.2;
const LARGEST = 3;
const still = matchMedia("(prefers-reduced-motion: reduce)");

function fadeIn(elements) {
  elements.style("opacity", 0);
  elements.animate({ style: { opacity: 1 } }, { duration: FADE_MS, complete: () => elements.removeStyle("opacity") });
}

export class Picture extends EventTarget {
  #cy;
  #places;
  #container;

  constructor(container, space) {
    super();
    this.#container = container;
    this.#places = new Places(space);
    this.#cy = window.cytoscape({
      container,
      style: styleOf(document.documentElement),
      minZoom: 0.15,
      maxZoom: LARGEST,
      boxSelectionEnabled: false,
      autounselectify: true,
    });
    this.#cy.on("tap", "node, edge", ({ target }) => this.choose(target.id(), { said: true }));
    this.#cy.on("dbltap", "node[entity]", ({ target }) => this.#open(target));
    this.#cy.on("dragfree", "node", () => this.#places.keep(this.#cy.nodes()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#cy.style(styleOf(document.documentElement)));
    // The wheel belongs to the page, unless a key says otherwise.
    container.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
    }, { capture: true });
  }

  get chosen() {
    return this.#cy.$(".is-chosen").first();
  }

  show({ nodes, edges }, { fit = false } = {}) {
    const cy = this.#cy;
    const isFirst = cy.elements().empty();
    const ids = new Set([...nodes, ...edges].map(({ id }) => id));
    const fresh = cy.collection();
    const others = cy.collection();
    cy.batch(() => {
      cy.elements().filter((element) => !ids.has(element.id())).remove();
      for (const data of nodes) {
        const known = cy.getElementById(data.id);
        const position = this.#places.of(data.id);
        if (known.nonempty()) known.data(data);
        else (position ? others : fresh).merge(cy.add({ group: "nodes", data, position }));
      }
      for (const data of edges) {
        const known = cy.getElementById(data.id);
        if (known.nonempty()) known.data(data);
        else others.merge(cy.add({ group: "edges", data }));
      }
    });
    if (fresh.nonempty()) this.#arrange(fresh);
    if (isFirst || (fit && fresh.nonempty()) || this.#isAside()) this.fit(!isFirst);
    if (!isFirst && !still.matches) fadeIn(fresh.union(others));
    this.#places.keep(cy.nodes());
  }

  // What stays where it was may be out of sight once other things are gone.
  #isAside() {
    const box = this.#cy.elements().renderedBoundingBox();
    const [width, height] = [this.#cy.width(), this.#cy.height()];
    const isSmaller = box.w <= width && box.h <= height;
    return isSmaller && (box.x1 < 0 || box.y1 < 0 || box.x2 > width || box.y2 > height);
  }

  #arrange(fresh) {
    const cy = this.#cy;
    const placed = cy.nodes().difference(fresh);
    placeNew(fresh, placed);
    cy.layout({
      name: "fcose",
      quality: "default",
      randomize: false,
      animate: false,
      fit: false,
      packComponents: false,
      nodeDimensionsIncludeLabels: true,
      // Around what has many facts there is more room.
      idealEdgeLength: (edge) => 120 + 4 * Math.min(edge.connectedNodes().maxDegree(), 60),
      nodeRepulsion: 20_000,
      fixedNodeConstraint: placed.map((node) => ({ nodeId: node.id(), position: { ...node.position() } })),
    }).run();
    separate(fresh, placed);
  }

  fit(isSmooth = false) {
    const cy = this.#cy;
    cy.resize();
    // A few things do not become giants.
    cy.maxZoom(FITTED);
    if (isSmooth && !still.matches) cy.animate({ fit: { eles: cy.elements(), padding: 24 } }, { duration: FADE_MS });
    else cy.fit(cy.elements(), 24);
    cy.maxZoom(LARGEST);
  }

  zoom(how) {
    if (how === "fit") this.fit(true);
    else this.#cy.zoom({ level: this.#cy.zoom() * (how === "in" ? ZOOM_STEP : 1 / ZOOM_STEP), renderedPosition: { x: this.#cy.width() / 2, y: this.#cy.height() / 2 } });
  }

  choose(id, { said = false } = {}) {
    const element = this.#cy.getElementById(id);
    this.#cy.elements(".is-chosen").removeClass("is-chosen");
    if (element.empty()) return;
    element.addClass("is-chosen");
    if (!said) return;
    this.#reveal(element);
    this.dispatchEvent(new CustomEvent("chosen", { detail: element }));
  }

  openChosen() {
    const node = this.chosen;
    if (node.nonempty() && node.data("entity")) this.#open(node);
  }

  // The nearest thing in the direction of an arrow key, or the first one.
  move(dx, dy) {
    const from = this.chosen.nonempty() && this.chosen.isNode() ? this.chosen : null;
    const start = from?.position();
    const aside = (node) => {
      const x = node.position("x") - start.x;
      const y = node.position("y") - start.y;
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy - y * dx) : Infinity;
    };
    const next = from
      ? this.#cy.nodes().not(from).toArray().map((node) => [aside(node), node]).sort((a, b) => a[0] - b[0])[0]
      : [0, this.#cy.nodes("[?is_root]").first().nonempty() ? this.#cy.nodes("[?is_root]").first() : this.#cy.nodes().first()];
    if (next && Number.isFinite(next[0]) && next[1].nonempty()) this.choose(next[1].id(), { said: true });
  }

  // The next or the last fact of the thing that was chosen, around it.
  step(by) {
    const chosen = this.chosen;
    const edges = (chosen.nonempty() ? (chosen.isNode() ? chosen : chosen.source()).connectedEdges() : this.#cy.edges()).toArray();
    if (!edges.length) return;
    const at = edges.findIndex((edge) => edge.same(chosen));
    this.choose(edges.at((at < 0 && by < 0 ? 0 : at + by) % edges.length).id(), { said: true });
  }

  #open(node) {
    this.dispatchEvent(new CustomEvent("open", { detail: node }));
  }

  #reveal(element) {
    const box = element.renderedBoundingBox();
    const { width, height } = this.#container.getBoundingClientRect();
    if (box.x1 >= 0 && box.y1 >= 0 && box.x2 <= width && box.y2 <= height) return;
    this.#cy.animate({ center: { eles: element } }, { duration: still.matches ? 0 : FADE_MS });
  }
}
