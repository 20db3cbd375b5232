// One form of questions: which label is chosen for each, by keys or by buttons, and what the whole answer is.
import { FactRows } from "./fact_rows.js";

export class Answering extends EventTarget {
  #form;
  #questions;
  #active = 0;

  constructor(form) {
    super();
    this.#form = form;
    this.#questions = [...form.querySelectorAll("[data-question]")].map((field) => ({
      field,
      name: field.dataset.question,
      rows: field.dataset.form === "facts" ? new FactRows(field, () => this.#changed()) : null,
      choices: [...field.querySelectorAll(".choice")],
    }));
    form.addEventListener("click", ({ target }) => {
      const choice = target.closest(".choice");
      if (choice) this.#choose(this.#questions.find(({ choices }) => choices.includes(choice)), choice);
    });
    this.#show();
  }

  get answer() {
    return Object.fromEntries(this.#questions.map(({ name, rows, choices }) => [name, rows ? rows.value : chosen(choices)?.value]));
  }

  get isWhole() {
    return this.#questions.every(({ rows, choices }) => rows || chosen(choices));
  }

  // Returns whether the answer can be stored, and says beside it why not.
  check() {
    const open = this.#questions.find(({ rows, choices }) => !rows && !chosen(choices));
    const faults = open ? [`Not answered yet: ${open.field.querySelector("legend").textContent}`] : this.#questions.map(({ rows }) => rows?.fault ?? "");
    const fault = faults.find(Boolean) ?? "";
    this.#form.querySelector("[data-fault]").textContent = fault;
    return !fault;
  }

  // The answer in words, for whoever listens.
  get words() {
    return this.#questions.map(({ rows, choices }) => (rows ? rows.words : chosen(choices)?.querySelector("b").textContent)).join(", ");
  }

  fill(answer) {
    for (const { name, rows, choices } of this.#questions) {
      if (rows) rows.fill(answer[name] ?? []);
      else for (const choice of choices) choice.setAttribute("aria-pressed", String(choice.value === answer[name]));
    }
    this.#activate();
  }

  // Returns whether the key means something here.
  press(key) {
    if (key === "ArrowUp" || key === "ArrowDown") {
      if (this.#questions.length < 2) return false;
      const last = this.#questions.length - 1;
      this.#active = Math.min(last, Math.max(0, this.#active + (key === "ArrowDown" ? 1 : -1)));
      this.#show();
      return true;
    }
    const question = this.#questions[this.#active];
    const choice = question.choices.find(({ dataset }) => dataset.key === key);
    if (choice) this.#choose(question, choice);
    else if (key === "f" && question.rows) question.rows.add();
    else return false;
    return true;
  }

  #choose(question, choice) {
    for (const other of question.choices) other.setAttribute("aria-pressed", String(other === choice));
    this.#activate();
    this.#changed();
    if (this.isWhole) this.dispatchEvent(new Event("whole"));
  }

  // What is asked next is the first that has no answer.
  #activate() {
    const open = this.#questions.findIndex(({ rows, choices }) => !rows && !chosen(choices));
    this.#active = open < 0 ? this.#questions.length - 1 : open;
    this.#show();
  }

  #show() {
    const isOne = this.#questions.length < 2;
    this.#questions.forEach(({ field }, place) => field.classList.toggle("is-active", !isOne && place === this.#active));
    for (const button of this.#form.querySelectorAll("[data-store]")) button.disabled = !this.isWhole;
  }

  #changed() {
    this.#form.querySelector("[data-fault]").textContent = "";
    this.#show();
    this.dispatchEvent(new Event("change"));
  }
}

function chosen(choices) {
  return choices.find((choice) => choice.getAttribute("aria-pressed") === "true");
}
