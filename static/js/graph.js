// The page of the graph: draws the picture from the page's own address, and shows beside it what is chosen there.
import { announce } from "./announcer.js";
import { combobox } from "./combobox.js";
import { Picture } from "./graph_picture.js";
import { load } from "./loading.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const wide = matchMedia("(min-width: 601px)");
const state = () => document.getElementById("graph-state");
const frame = () => document.getElementById("graph-picture");
let picture = null;
let making = null;
let drawn = "";
let draws = 0;
let isOpening = false;
let isChoosing = false;

// There is one picture, however many ask for it while its scripts are on their way.
function pictureOf(shown) {
  making ??= madeFor(shown).catch((error) => {
    making = null;
    throw error;
  });
  return making;
}

async function madeFor({ scripts, space }) {
  if (!window.cytoscape) await load(scripts);
  // Cytoscape ends itself when its element is taken out of its parent. The parent may go where it likes.
  const canvas = document.createElement("div");
  canvas.className = "graph-canvas";
  frame().replaceChildren(canvas);
  picture = new Picture(canvas, space);
  picture.addEventListener("chosen", ({ detail }) => chosen(detail));
  picture.addEventListener("open", ({ detail }) => open(detail.data("entity")));
  return picture;
}

async function draw() {
  const { src, scripts, chosen: id } = state()?.dataset ?? {};
  const isShown = wide.matches && !document.getElementById("graph")?.classList.contains("as-table");
  if (!src || !scripts || !isShown) return;
  const fit = isOpening;
  isOpening = false;
  drawn = src;
  const number = (draws += 1);
  try {
    const [shown, answer] = await Promise.all([pictureOf(state().dataset), fetch(src, { credentials: "same-origin" })]);
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const data = await answer.json();
    // Another address, or this one anew, was asked for while it was on its way.
    if (number !== draws) return;
    if (state()?.dataset.src !== src) {
      drawn = "";
      return;
    }
    shown.show(data, { fit });
    shown.choose(id);
    frame().dataset.drawn = src;
    const { things = "things", facts = "facts" } = state().dataset;
    frame().setAttribute("aria-label", `Picture of the graph: ${data.nodes.length} ${things}, ${data.edges.length} ${facts}`);
    document.getElementById("graph-trouble").hidden = true;
  } catch {
    if (number !== draws) return;
    drawn = "";
    document.getElementById("graph").classList.add("as-table");
    document.getElementById("graph-trouble").hidden = false;
  }
}

function chosen(element) {
  const { fact, entity } = element.data();
  const kept = new URLSearchParams(location.search);
  kept.delete("fact");
  kept.delete("about");
  if (fact) kept.set("fact", fact);
  else if (entity) kept.set("about", entity);
  else return announce(element.data("label"));
  history.replaceState(history.state, "", `${location.pathname}?${kept}`);
  const { factUrl, entityUrl } = state().dataset;
  const address = (fact ? factUrl : entityUrl).replace("/0/", `/${fact ?? entity}/`);
  window.htmx.ajax("GET", `${address}?${kept}`, { source: "#graph-panel", target: "#graph-panel", swap: "innerHTML" });
  announce(fact ? element.data("words") : [element.data("label"), element.data("more")].filter(Boolean).join(", "));
}

function open(entity) {
  const asked = new URLSearchParams(location.search);
  // Where the picture has a middle, what is opened becomes it.
  const { middle } = state().dataset;
  if (middle) asked.set(middle, entity);
  else asked.append("open", entity);
  asked.set("about", entity);
  for (const name of ["fact", "page", "q"]) asked.delete(name);
  isOpening = true;
  window.htmx.ajax("GET", `${location.pathname}?${asked}`, {
    source: frame(), target: "#dashboard", select: "#dashboard", selectOOB: "#as-of-state,#tabs", swap: "outerHTML", push: "true",
  }).catch(() => {}); // What breaks it off or fails is told by htmx's own events.
}

document.addEventListener("keydown", (event) => {
  if (event.target !== frame() || !picture || event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) picture.step(arrow[0] + arrow[1]);
  else if (arrow) picture.move(...arrow);
  else if (event.key === "Enter") picture.openChosen();
  else return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const zoom = event.target.closest("[data-zoom]");
  if (zoom) picture?.zoom(zoom.dataset.zoom);
  if (event.target.closest("[data-redraw]")) {
    document.getElementById("graph").classList.remove("as-table");
    draw();
  }
  if (event.target.closest("#open-more, .graph-table .chip a")) isOpening = true;
  if (event.target.closest("[data-choose]")) isChoosing = true;
});

// The list under the search field is there while there is something in the field.
function keepSearch() {
  const field = document.getElementById("graph-query");
  const found = document.getElementById("graph-found");
  if (!field || !found || field.dataset.kept) return;
  field.dataset.kept = "1";
  const close = () => {
    found.hidden = true;
    field.setAttribute("aria-expanded", "false");
  };
  combobox(field, found, { onEscape: () => { close(); field.value = ""; } });
  found.addEventListener("htmx:afterSwap", () => {
    found.hidden = field.value.trim() === "";
    field.setAttribute("aria-expanded", String(!found.hidden));
  });
  field.addEventListener("blur", () => setTimeout(() => { if (!found.contains(document.activeElement)) close(); }, 200));
}

function settled() {
  keepSearch();
  // On a narrow page what was chosen stands above the list, maybe out of sight.
  if (isChoosing) document.getElementById("graph-panel")?.scrollIntoView({ block: "nearest" });
  isChoosing = false;
  if (state() && state().dataset.src !== drawn) draw();
  else if (state()) picture?.choose(state().dataset.chosen);
}

document.body.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "dashboard") settled(); });
document.body.addEventListener("memory-changed", () => { drawn = ""; });
wide.addEventListener("change", settled);
settled();
