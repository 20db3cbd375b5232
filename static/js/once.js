// A form that is on its way is not sent again by a second press, which would do twice what it does.
// What answers with a file leaves the page where it is: after a while the form may be sent anew.
const MEANWHILE_MS = 5_000;
let sent = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), MEANWHILE_MS);
});
window.addEventListener("pageshow", () => { sent = new WeakSet(); });
