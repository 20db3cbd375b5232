// The page of the graph: draws the picture from the page's own address, and shows beside it what is chosen there.
import { announce } from "./announcer.js";
import { combobox } from "./combobox.js";
import { Picture } from "./graph_picture.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const wide = matchMedia("(min-width: 601px)");
const state = () => document.getElementById("graph-state");
const frame = () => document.getElementById("graph-picture");
let picture = null;
let drawn = "";
let draws = 0;
let isOpening = false;
let isChoosing = false;

// The page may have been without its frame meanwhile, and have a new one.
function pictureOf({ space }) {
  if (picture?.isIn(frame())) return picture;
  picture = new Picture(frame(), space);
  picture.addEventListener("chosen", ({ detail }) => chosen(detail));
  picture.addEventListener("open", ({ detail }) => open(detail));
  return picture;
}

async function draw() {
  const { src, chosen: id } = state()?.dataset ?? {};
  // Where the page shows the table, there is no room to draw in.
  if (!src || !frame().getClientRects().length) return;
  const fit = isOpening;
  isOpening = false;
  drawn = src;
  const number = (draws += 1);
  const data = await answerOf(src);
  // Another address, or this one anew, was asked for while it was on its way.
  if (number !== draws) return;
  if (state()?.dataset.src !== src) drawn = "";
  else if (data) {
    pictureOf(state().dataset).show(data, { fit });
    picture.choose(id);
    frame().dataset.drawn = src;
    frame().setAttribute("aria-label", summary(data));
    document.getElementById("graph-trouble").hidden = true;
  } else {
    drawn = "";
    document.getElementById("graph").classList.add("as-table");
    document.getElementById("graph-trouble").hidden = false;
  }
}

async function answerOf(src) {
  try {
    const answer = await fetch(src, { credentials: "same-origin" });
    return answer.ok && !answer.redirected ? await answer.json() : null;
  } catch {
    return null;
  }
}

function summary({ nodes, edges }) {
  const { things = "things", facts = "facts" } = state().dataset;
  const folds = nodes.filter((node) => node.is_fold).length;
  const held = folds ? `, ${folds} groups that hold back more` : "";
  return `Picture of the graph: ${nodes.length - folds} ${things}, ${edges.length - folds} ${facts}${held}`;
}

function chosen({ fact, entity, label, words, more }) {
  const kept = new URLSearchParams(location.search);
  kept.delete("fact");
  kept.delete("about");
  if (fact) kept.set("fact", fact);
  else if (entity) kept.set("about", entity);
  else return announce(label);
  history.replaceState(history.state, "", `${location.pathname}?${kept}`);
  const { factUrl, entityUrl } = state().dataset;
  const address = (fact ? factUrl : entityUrl).replace("/0/", `/${fact ?? entity}/`);
  window.htmx.ajax("GET", `${address}?${kept}`, { source: "#graph-panel", target: "#graph-panel", swap: "innerHTML" });
  announce(fact ? words : [label, more].filter(Boolean).join(", "));
}

function open({ entity, opens }) {
  const asked = new URLSearchParams(location.search);
  // Where the picture has a middle, what is opened becomes it.
  const { middle } = state().dataset;
  if (middle) asked.set(middle, entity);
  else for (const [name, value] of new URLSearchParams(opens ?? { open: entity })) asked.append(name, value);
  if (entity) asked.set("about", entity);
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
  if (event.target.closest("#open-more, .graph-table .chip a, .graph-groups a")) isOpening = true;
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
wide.addEventListener("change", () => {
  drawn = "";
  settled();
});
settled();
