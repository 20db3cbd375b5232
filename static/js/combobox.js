// A field with a list of links: choose with the arrow keys, go with Enter. The list comes from the server.
export function combobox(field, list, { onEscape = () => {} } = {}) {
  // What the list answers may be older than what is in the field: Enter waits for the list that belongs to it.
  let answered = list.children.length ? field.value : null;
  let isGoing = false;
  const choices = () => [...list.querySelectorAll('[role="option"]')];

  function choose(index) {
    const options = choices();
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const chosen = options[index];
    if (!chosen) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    field.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  }

  list.addEventListener("htmx:afterSwap", ({ detail }) => {
    answered = detail.requestConfig.formData.get(field.name);
    choose(0);
  });
  list.addEventListener("htmx:afterSettle", () => {
    if (!isGoing || answered !== field.value) return;
    isGoing = false;
    list.querySelector('[aria-selected="true"] a')?.click();
  });
  for (const kind of ["input", "blur"]) field.addEventListener(kind, () => { isGoing = false; });
  field.addEventListener("keydown", (event) => {
    const options = choices();
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") choose(Math.min(at + 1, options.length - 1));
    else if (event.key === "ArrowUp") choose(Math.max(at - 1, 0));
    else if (event.key === "Enter" && answered !== field.value) isGoing = true;
    else if (event.key === "Enter" && at >= 0) options[at].querySelector("a").click();
    // A search field takes the first Escape to clear itself; here it closes.
    else if (event.key === "Escape") onEscape();
    else return;
    event.preventDefault();
  });
}
