// Rows of [subject, predicate, value, flags], written by keyboard: Enter goes on, and adds a row after the last field.
export class FactRows {
  #list;
  #row;
  #onChange;

  constructor(field, onChange) {
    this.#list = field.querySelector("[data-rows]");
    this.#row = field.querySelector("template").content.firstElementChild;
    this.#onChange = onChange;
    field.querySelector("[data-add]").addEventListener("click", () => this.add());
    this.#list.addEventListener("input", ({ target }) => {
      target.removeAttribute("aria-invalid");
      onChange();
    });
    this.#list.addEventListener("click", ({ target }) => {
      if (target.closest("[data-remove]")) this.#remove(target.closest("li"));
    });
    this.#list.addEventListener("keydown", (event) => this.#press(event));
  }

  get value() {
    const rows = [...this.#list.children].map((row) => fields(row).map((input) => input.value.trim().replace(/\s+/g, " ")));
    return rows.filter((row) => row.some(Boolean));
  }

  // What is wrong with a row, whose field is then marked; "" where all are right.
  get fault() {
    const known = (id) => [...document.getElementById(id).options].map((option) => option.value);
    for (const row of this.#list.children) {
      const [subject, predicate, value, flags] = fields(row);
      const isOther = /^other:\s*\S/.test(predicate.value.trim());
      const faults = [
        [subject, subject.value.trim(), "A fact needs somebody or something it is about."],
        [predicate, isOther || (known("predicates").includes(predicate.value.trim()) && predicate.value.trim() !== "other:"), "Take a predicate of the list, or other: with a verb."],
        [value, value.value.trim(), "A fact needs a value."],
        [flags, flags.value.split(/\s+/).every((flag) => !flag || known("flags").includes(flag)), `Flags are ${known("flags").join(", ")}.`],
      ];
      for (const [field, isRight] of faults) field.setAttribute("aria-invalid", String(!isRight));
      const fault = fields(row).some((field) => field.value.trim()) && faults.find(([, isRight]) => !isRight);
      if (fault) {
        fault[0].focus();
        return fault[2];
      }
    }
    return "";
  }

  get words() {
    const count = this.value.length;
    return count ? `${count} fact${count > 1 ? "s" : ""}` : "no fact";
  }

  fill(rows) {
    this.#list.replaceChildren();
    for (const row of rows) this.#append(row);
  }

  add() {
    fields(this.#append([]))[0].focus();
  }

  #append(values) {
    const row = this.#row.cloneNode(true);
    fields(row).forEach((input, place) => { input.value = values[place] ?? ""; });
    this.#list.append(row);
    this.#number();
    return row;
  }

  #remove(row) {
    const near = row.previousElementSibling ?? row.nextElementSibling;
    row.remove();
    this.#number();
    this.#onChange();
    (near ? fields(near)[0] : this.#list.parentElement.querySelector("[data-add]")).focus();
  }

  #number() {
    [...this.#list.children].forEach((row, place) => row.setAttribute("aria-label", `Fact ${place + 1}`));
  }

  #press(event) {
    if (!event.target.matches("input") || event.isComposing) return;
    const row = event.target.closest("li");
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const next = fields(row)[fields(row).indexOf(event.target) + 1] ?? (row.nextElementSibling && fields(row.nextElementSibling)[0]);
      if (next) next.focus();
      else this.add();
    } else if (event.key === "Backspace" && event.ctrlKey) {
      this.#remove(row);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

function fields(row) {
  return [...row.querySelectorAll("input")];
}
