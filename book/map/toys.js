// The toys of the first page: tools/book_engine/toys.py has written what each element does.
"use strict";
const players = []; // in the order of the page
let busy = false;

/** Let the first toy play that is in sight and has not played yet; when it ends, the next one. */
function nextToy() {
  const player = busy ? null : players.find(each => each.seen && !each.done);
  if (!player) return;
  busy = player.done = true;
  player.play().then(() => { busy = false; nextToy(); });
}

for (const toy of document.querySelectorAll(".pf-toy")) {
  const lines = toy.dataset.lines.split("|"), last = lines.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const moving = [...toy.querySelectorAll("[data-go]")].flatMap(el =>
    el.dataset.go.split(";").map(part => {
      const [name, row] = part.split(":");
      return { el, name, row: row.split(",").map(Number) };
    }));
  const saying = [...toy.querySelectorAll("[data-say]")].map(el => ({ el, row: el.dataset.say.split("|") }));
  const line = toy.querySelector(".pf-toy-line"), name = toy.querySelector("a").textContent;
  const bar = document.createElement("div");
  bar.className = "pf-toy-bar";
  bar.innerHTML = `<input type="range" min="0" step="1"><button type="button"><svg viewBox="0 0 16 16"
    aria-hidden="true"><path/></svg></button>`;
  const [slider, button] = bar.children;
  slider.max = last;
  slider.setAttribute("aria-label", toy.dataset.control);
  line.before(bar);

  /** Show a step, or what lies between two: numbers slide, words change with the nearer step. */
  function show(at) {
    const low = Math.min(last, Math.floor(at)), high = Math.min(last, low + 1), near = Math.round(at);
    for (const { el, name, row } of moving)
      el.setAttribute(name, row[low] + (row[high] - row[low]) * (at - low));
    for (const { el, row } of saying) el.textContent = row[near];
    line.textContent = lines[near];
    slider.value = near;
    slider.setAttribute("aria-valuetext", lines[near]);
  }

  let frame = 0, ended = () => {};
  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    ended();
    button.setAttribute("aria-label", `Play: ${name}`);
    button.querySelector("path").setAttribute("d", "M3 1l11 7-11 7z");
  }
  /** Go once from the first step to the last; what moves by itself ends by itself. */
  function play() {
    button.setAttribute("aria-label", `Pause: ${name}`);
    button.querySelector("path").setAttribute("d", "M3 1h4v14H3zM9 1h4v14H9z");
    let began = 0;
    const end = new Promise(done => { ended = done; });
    frame = requestAnimationFrame(function next(now) {
      began ||= now;
      const at = Math.min(last, (now - began) / Number(toy.dataset.pace));
      show(at);
      if (at < last) frame = requestAnimationFrame(next);
      else stop();
    });
    return end;
  }
  const player = { play, seen: false, done: still.matches };
  players.push(player);
  for (const kind of ["input", "click"]) // a reader who has begun is not interrupted
    bar.addEventListener(kind, () => { player.done = true; });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  button.addEventListener("click", () => (frame ? stop() : play()));
  stop();
  show(Number(toy.dataset.start));
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(each => each.isIntersecting)) return;
    observer.disconnect();
    player.seen = true;
    requestAnimationFrame(nextToy); // when all have been told, for they are told in any order
  }, { threshold: 0.9 }).observe(toy);
}
