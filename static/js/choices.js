// What writes the replies, and how they are found: says what the chosen way does, and does not offer a way that needs a
// language model, or one that reads graphs, beside an engine that has none, nor an engine that the chosen memory does not
// offer.
export function tieChoices(form) {
  const engine = form.elements.engine;
  const responder = form.elements.responder;
  const says = form.querySelector("#responder-says");
  const space = form.elements.space;
  const fit = () => {
    for (const option of engine.options) {
      option.disabled = !!space && "spaces" in option.dataset && !option.dataset.spaces.split(" ").includes(space.value);
    }
    if (engine.selectedOptions[0].disabled) engine.selectedIndex = 0;
    const has = engine.selectedOptions[0].dataset;
    for (const option of responder.options) {
      const needs = option.dataset;
      option.disabled = ("needsModel" in needs && !("hasModel" in has)) || ("needsGraphs" in needs && !("readsGraphs" in has));
    }
    if (responder.selectedOptions[0].disabled) responder.selectedIndex = 0;
    says.textContent = responder.selectedOptions[0].dataset.says;
  };
  engine.addEventListener("change", fit);
  space?.addEventListener("change", fit);
  responder.addEventListener("change", fit);
  fit();
}
