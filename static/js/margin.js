// Refreshes the margin when memory has changed, and leaves what the reader is doing there as it is:
// open details stay open, a form that is being filled in is not swapped away, new facts fade in once.
const AGAIN_MS = 400;

export function keepMargin(margin, socket) {
  let postponed = false;
  let isPressed = false;
  const isWriting = () => margin.contains(document.activeElement) && document.activeElement.matches("input, textarea");
  const isBusy = () => isPressed || isWriting();
  const refresh = () => {
    if (isBusy()) {
      postponed = true;
      return;
    }
    postponed = false;
    for (const panel of margin.querySelectorAll("[data-panel]")) window.htmx.trigger(panel, "memory");
  };

  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, AGAIN_MS);
  };
  socket.addEventListener("memory", refresh);
  // What happened while the network was away was not told.
  let wasLost = false;
  socket.addEventListener("lost", () => { wasLost = true; });
  socket.addEventListener("open", () => { if (wasLost) soon(); });
  document.body.addEventListener("memory-changed", refresh);
  margin.addEventListener("focusout", () => { if (postponed) soon(); });
  // A button that is swapped away between press and release would not be clicked.
  margin.addEventListener("pointerdown", () => { isPressed = true; });
  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, () => {
      isPressed = false;
      if (postponed) soon();
    });
  }

  // What is shown anew stays filtered.
  margin.addEventListener("htmx:configRequest", ({ target, detail }) => {
    const words = target.matches("[data-panel]") && target.querySelector("#margin-filter")?.value.trim();
    if (words) detail.parameters.q = words;
  });

  // Acts of the reader, begun and answered. A refresh that was asked for before may tell of a state before one, or within.
  let acts = 0;
  const actsBefore = new WeakMap();
  const isRefresh = ({ requestConfig }) => requestConfig.triggeringEvent?.type === "memory";
  margin.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (isRefresh(detail)) actsBefore.set(detail.xhr, acts);
    else acts += 1;
  });

  let known = null;
  let states = new Map();
  margin.addEventListener("htmx:beforeSwap", (event) => {
    if (!isRefresh(event.detail)) acts += 1;
    // Asked for before the reader began to write, answered while they do: their words would be gone.
    else if (isBusy() || actsBefore.get(event.detail.xhr) !== acts) {
      event.detail.shouldSwap = false;
      postponed = true;
      if (!isBusy()) soon();
      return;
    }
    known = margin.querySelector(".facts") ? idsOf(margin, ".fact") : null;
    states = new Map([...margin.querySelectorAll("details[id]")].map((details) => [details.id, details.open]));
  });
  margin.addEventListener("htmx:afterSwap", ({ target }) => {
    // What is opened again asks for its facts by opening, before htmx would listen to it. Only what is new is made to
    // listen: an element that waits for an answer would forget what it is to ask for next.
    for (const fresh of target.children) window.htmx.process(fresh);
    for (const details of margin.querySelectorAll("details[id]")) details.open = states.get(details.id) ?? details.open;
    if (!known) return;
    for (const fact of margin.querySelectorAll(".fact")) {
      if (!known.includes(fact.id)) fact.classList.add("is-new");
    }
  });

  margin.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const names = [...margin.querySelectorAll(".about > summary")];
    const next = names[names.indexOf(event.target) + by];
    if (!by || !names.includes(event.target) || !next) return;
    next.focus();
    event.preventDefault();
  });
}

function idsOf(root, selector) {
  return [...root.querySelectorAll(selector)].map((element) => element.id).filter(Boolean);
}

// The empty margin's one action: write the first message.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-write]")) return;
  event.target.closest("[popover]")?.hidePopover();
  document.getElementById("id_text")?.focus();
});
