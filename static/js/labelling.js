// The labelling page: one item at a time, by keys. What is answered leaves at once and is stored in the background.
import { announce } from "./announcer.js";
import { Answering } from "./answering.js";
import { drawer } from "./drawers.js";
import { AWAY, BARRED, GONE, LAST, NONE, ON_ITS_WAY, SIGNED_OUT, STORED_FIRST, WHY_SKIP, refuse, tellKeeping, tellProgress } from "./labelling_words.js";
import { Outbox } from "./outbox.js";
import { isTyping } from "./shortcuts.js";

const page = document.getElementById("main");
const items = document.getElementById("items");
const nothing = document.getElementById("nothing");
const { owner, project } = page.dataset;
const token = JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
const outbox = new Outbox(`review-${owner}`, token);
const answerings = new WeakMap();
const left = new Map();
// What was on its way to the server when it was asked for more, or left since: its answer may bring it once more.
const leaving = new Set();
const given = page.dataset.last ? [{ id: page.dataset.last, item: page.dataset.lastItem }] : [];
const took = [];
const counts = { done: Number(page.dataset.done), left: Number(page.dataset.left) };
let shownAt = 0;
let isAsking = false;
let isWanted = false;

const current = () => items.querySelector("article:not([hidden])");
const draftOf = (item) => `review-draft-${owner}-${item}`;
const fieldOf = (article, name) => article.querySelector(`[data-${name}] :is(input, textarea)`);

function prepare(article) {
  const form = article.querySelector("form");
  const answering = new Answering(form);
  answerings.set(article, answering);
  const draft = JSON.parse(localStorage.getItem(draftOf(article.dataset.item)) ?? "null");
  if (draft) restore(article, draft);
  answering.addEventListener("change", () => keepDraft(article));
  fieldOf(article, "comment").addEventListener("input", () => keepDraft(article));
  answering.addEventListener("whole", () => { if ("atOnce" in form.dataset) store(article); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (answering.check()) store(article);
  });
}

function keepDraft(article) {
  const draft = { answer: answerings.get(article).answer, comment: fieldOf(article, "comment").value };
  localStorage.setItem(draftOf(article.dataset.item), JSON.stringify(draft));
}

function restore(article, { answer, comment }) {
  answerings.get(article).fill(answer);
  fieldOf(article, "comment").value = comment;
  article.querySelector("[data-comment]").hidden = !comment;
}

// Takes over the items that the server gave and that are not here, and how far things are.
function take(html) {
  const fragment = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  for (const article of fragment.querySelectorAll("article")) {
    const { item } = article.dataset;
    const here = document.getElementById(article.id);
    if (here) here.dataset.token = article.dataset.token;
    else if (!leaving.has(item)) {
      items.append(article);
      prepare(article);
    }
  }
  if (fragment.dataset.guideline !== page.dataset.guideline) newGuideline(fragment.dataset.guideline);
  return fragment.dataset.why || LAST;
}

// Asks for what comes next. Who asks meanwhile has it asked once more.
async function more() {
  isWanted = true;
  if (isAsking) return;
  isAsking = true;
  let why = "";
  while (isWanted) {
    isWanted = false;
    keepOut();
    const answer = await outbox.ask("POST", page.dataset.take);
    if (answer?.ok && !answer.redirected) why = take(await answer.text());
    else why = answer ? SIGNED_OUT : AWAY;
  }
  isAsking = false;
  show(why);
}

function keepOut() {
  leaving.clear();
  for (const { item } of outbox.entries) leaving.add(item);
}

function newGuideline(version) {
  page.dataset.guideline = version;
  window.htmx.ajax("GET", page.dataset.guidelineAt, { target: "#guideline", swap: "innerHTML" });
  announce(`The guideline has a new version: ${version}.`);
}

function show(why) {
  const next = current() ?? items.querySelector("article");
  nothing.hidden = Boolean(next);
  nothing.querySelector("[data-undo]").hidden = !given.length;
  if (next?.hidden) {
    next.hidden = false;
    shownAt = performance.now();
    window.scrollTo(0, 0);
    next.focus({ preventScroll: true });
  }
  if (!next) nothing.querySelector("[data-nothing]").textContent = outbox.size ? STORED_FIRST : why === LAST && !counts.done ? NONE : why;
  if (!next && why === LAST && !outbox.size) counts.left = 0;
  tellProgress(counts, took);
}

function count(many) {
  counts.done += many;
  counts.left -= many;
}

function store(article) {
  const answering = answerings.get(article);
  const milliseconds = Math.round(performance.now() - shownAt);
  took.push(milliseconds);
  if (took.length > 20) took.shift();
  const key = newKey();
  const body = {
    answer: answering.answer, sent_as: key, token: article.dataset.token, comment: fieldOf(article, "comment").value.trim(), milliseconds,
  };
  leave(article, { key, url: article.dataset.answers, body });
  given.push({ key, item: article.dataset.item, draft: { answer: body.answer, comment: body.comment } });
  count(1);
  announce(`${answering.words}. ${counts.done} done.`);
  show(ON_ITS_WAY);
}

function skip(article) {
  const field = fieldOf(article, "skipping");
  if (!field.value.trim()) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
    article.querySelector("[data-fault]").textContent = WHY_SKIP;
    return;
  }
  leave(article, { key: newKey(), url: article.dataset.skip, body: { reason: field.value.trim() } });
  announce("Skipped.");
  show(ON_ITS_WAY);
}

function leave(article, entry) {
  localStorage.removeItem(draftOf(article.dataset.item));
  left.set(article.dataset.item, article);
  leaving.add(article.dataset.item);
  article.hidden = true;
  article.remove();
  outbox.add({ ...entry, project, item: article.dataset.item, at: Date.now(), what: article.querySelector(".headline")?.textContent });
}

async function undo() {
  const last = given.at(-1);
  if (!last) return announce("There is nothing to undo.");
  // What is on its way is known by the server's own number when it has arrived. What is answered meanwhile stays.
  if (outbox.isSending) await outbox.send();
  const place = given.indexOf(last);
  if (place < 0) return;
  given.splice(place, 1);
  if (!outbox.takeBack(last.key)) {
    const answer = await outbox.ask("DELETE", page.dataset.undoAt.replace("/0/", `/${last.id}/`));
    const said = await answer?.json().catch(() => ({}));
    if (!answer?.ok) {
      given.splice(place, 0, last);
      refuse(said?.detail ?? "The network is away, so nothing was undone.");
      return;
    }
    const kept = left.get(last.item);
    if (kept) kept.dataset.token = said.token;
  }
  count(-1);
  if (!left.has(last.item)) await more();
  const article = left.get(last.item) ?? document.getElementById(`item-${last.item}`);
  if (!article) return;
  const open = current();
  if (open) open.hidden = true;
  items.prepend(article);
  article.hidden = true;
  if (last.draft) restore(article, last.draft);
  announce("Taken back.");
  show(ON_ITS_WAY);
}

function toggle(article, name, button) {
  const part = article.querySelector(`[data-${name}]`);
  part.hidden = !part.hidden;
  button.setAttribute("aria-expanded", String(!part.hidden));
  if (part.hidden) article.focus({ preventScroll: true });
  else fieldOf(article, name).focus();
}

function newKey() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

document.addEventListener("click", ({ target }) => {
  const article = current();
  if (target.closest("[data-undo]")) undo();
  else if (!article) return;
  else if (target.closest("[data-skip-it]")) skip(article);
  else if (target.closest("[data-open-skip]")) toggle(article, "skipping", target.closest("button"));
  else if (target.closest("[data-open-comment]")) toggle(article, "comment", target.closest("button"));
});

// Before the shortcuts of all pages, which would take "e" or "n" for theirs.
document.addEventListener("keydown", (event) => {
  const article = current();
  if (!article || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
  if (press(article, event)) {
    event.preventDefault();
    event.stopPropagation();
  }
}, { capture: true });

function press(article, event) {
  const { key, target, ctrlKey } = event;
  const form = article.querySelector("form");
  // A key that is held a moment too long answers one item, not the next ones too.
  if (event.repeat && !isTyping(target) && /^(Enter|\w)$/.test(key)) return true;
  if (key === "Enter" && ctrlKey) return form.requestSubmit() ?? true;
  if (ctrlKey) return false;
  if (isTyping(target)) {
    if (key === "Escape") return article.focus({ preventScroll: true }) ?? true;
    if (key === "Enter" && target.closest("[data-skipping]")) return skip(article) ?? true;
    return false;
  }
  if (key === "Enter") {
    const isElsewhere = target.closest("a, button, summary") && !target.closest('[aria-pressed="true"]');
    return isElsewhere ? false : form.requestSubmit() ?? true;
  }
  return answerings.get(article).press(key);
}

outbox.addEventListener("state", () => tellKeeping(outbox));
outbox.addEventListener("stored", ({ detail: { entry, said } }) => {
  const one = given.find(({ key }) => key === entry.key);
  if (one) one.id = said.id;
  more();
});
outbox.addEventListener("refused", ({ detail: { entry, said, status } }) => {
  const place = given.findIndex(({ key }) => key === entry.key);
  if (place >= 0) {
    given.splice(place, 1);
    // Where the item still waits for this person, it comes again as it was filled in.
    if (status !== 404) localStorage.setItem(draftOf(entry.item), JSON.stringify(entry.body));
    count(-1);
  }
  refuse(status === 404 ? GONE : said.detail ?? "The server did not take an answer.", entry.what);
  more();
});
outbox.addEventListener("barred", ({ detail: { entry, gone } }) => {
  if (entry.project !== project) return refuse(BARRED, entry.what);
  for (const { dataset } of items.children) localStorage.removeItem(draftOf(dataset.item));
  items.replaceChildren();
  given.splice(0);
  count(-gone.filter(({ body }) => body.sent_as).length);
  counts.left = 0;
  announce(BARRED);
  show(BARRED);
});

page.dataset.guideline = items.firstElementChild.dataset.guideline;
drawer(document.getElementById("guideline"), "(max-width: 1100px)");
for (const { key, item, project: of, body } of outbox.entries) {
  // Answers that an earlier page left behind.
  if (of !== project || !body.sent_as) continue;
  given.push({ key, item, draft: body });
  count(1);
}
const first = items.innerHTML;
items.replaceChildren();
keepOut();
show(take(first));
tellKeeping(outbox);
if (outbox.size) outbox.send();
