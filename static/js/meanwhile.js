// While a form is being sent that takes long: its buttons rest, and a line says what is going on.
const forms = () => [...document.querySelectorAll("form[data-takes-long]")];

function rest(isSending, form) {
  for (const button of forms().flatMap((one) => [...one.querySelectorAll("button")])) button.disabled = isSending;
  for (const line of document.querySelectorAll("[data-meanwhile]")) line.hidden = !(isSending && form?.contains(line));
}

// After the form was read: a button that is disabled earlier is not sent.
document.addEventListener("submit", ({ target }) => {
  if (target.matches("form[data-takes-long]")) setTimeout(() => rest(true, target));
});
window.addEventListener("pageshow", () => rest(false));
