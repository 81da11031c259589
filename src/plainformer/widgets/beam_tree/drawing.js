// The tree of BeamTree: a column for each step where there is room, a block for each on a phone.
//
// It is a tree for a screen reader, too: arrow keys go down to the best child, up to the parent,
// and through all that is shown; one node at a time can be reached by Tab.

import * as kit from "../kit/kit.js";
import * as words from "./words.js";
const { h } = kit;

const ROOM = 8; // pixels beside the step that is scrolled to

/**
 * The tree: { el, draw, stop }. onChoose(node) is told which node has the focus.
 * draw({ step, chosen, best, trail, way }) shows so many steps; best is the node of the text that
 * is best so far, trail holds the nodes on the way to it, and way those on the way to the chosen
 * one.
 */
export function forest({ nodes, data, onChoose }) {
  const items = nodes.map((node) => item(node, data.prompt));
  const links = nodes.map((node) => h("path", { class: `bt-link bt-${node.status}` }));
  links.shift(); // the root's
  const svg = h("svg", { class: "bt-lines", "aria-hidden": "true" }, links);
  const root = h("div", { class: "bt-level" }, items[0]);
  const levels = data.more.map((more, i) => level(i + 1, more));
  const inner = h(
    "div",
    {
      class: "bt-tree",
      role: "tree",
      "aria-label": "The search, from the prompt on",
      style: `--bt-steps: ${data.more.length}`,
    },
    svg,
    root,
    levels,
  );
  const el = h("div", { class: "bt-stage" }, inner);
  let drawn = -1; // the step
  let first = null; // the best text of the ranking, as it is drawn

  function level(step, more) {
    const groups = new Map(); // parent -> its children's box
    for (const node of nodes) {
      if (node.step !== step) continue;
      if (!groups.has(node.parent)) {
        const { parent, text } = node.parent;
        const after = `after ${parent ? `“${words.plain(text)}”` : "the prompt"}`;
        const head = h("div", { class: "bt-after", "aria-hidden": "true" }, after);
        groups.set(node.parent, h("div", { class: "bt-group" }, head));
      }
      groups.get(node.parent).append(items[node.place]);
    }
    const pruned = nodes.filter((node) => node.step === step && node.status === "pruned");
    const died = more + pruned.length;
    const rest = (name, text) => h("div", { class: name, "aria-hidden": "true" }, text);
    return h(
      "div",
      { class: "bt-level" },
      h("div", { class: "bt-title", "aria-hidden": "true" }, `Step ${step}`),
      h("div", { class: "bt-groups" }, [...groups.values()]),
      more ? rest("bt-more", `and ${more} more died`) : null,
      died ? rest("bt-more bt-folded", `${died} died`) : null,
    );
  }

  const nodeOf = (target) => nodes[target.closest?.("[data-place]")?.dataset.place];
  inner.addEventListener("focusin", ({ target }) => nodeOf(target) && onChoose(nodeOf(target)));
  inner.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const node = nodeOf(event.target);
    const shown = nodes.filter((each) => each.step <= drawn && items[each.place].offsetParent);
    const at = shown.indexOf(node);
    const child = () => node.children.filter((each) => shown.includes(each)).sort(byScore)[0];
    const to = {
      ArrowRight: child,
      ArrowLeft: () => node.parent,
      ArrowDown: () => shown[at + 1],
      ArrowUp: () => shown[at - 1],
      Home: () => shown[0],
      End: () => shown.at(-1),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const next = to();
    if (next) items[next.place].focus();
  });

  /** Lay the lines from parents to children, where the steps stand side by side. */
  function lines() {
    if (getComputedStyle(svg).display === "none") return;
    const boxes = items.map((each) => {
      const { offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: height } = each;
      return { left, right: left + width, middle: top + height / 2 };
    });
    nodes.slice(1).forEach((node, i) => {
      const [from, to] = [boxes[node.parent.place], boxes[node.place]];
      const half = (from.right + to.left) / 2;
      const curve = `${half} ${from.middle} ${half} ${to.middle} ${to.left} ${to.middle}`;
      const way = `M${from.right} ${from.middle}C${curve}`;
      if (links[i].getAttribute("d") !== way) links[i].setAttribute("d", way);
    });
  }
  const sizes = new ResizeObserver(lines);
  sizes.observe(inner);

  function draw({ step, chosen, best, trail, way }) {
    const reached = chosen && chosen.step <= step ? chosen : nodes[0];
    nodes.forEach((node, i) => {
      const each = items[i];
      each.tabIndex = node === reached ? 0 : -1;
      each.setAttribute("aria-selected", String(node === chosen));
      each.classList.toggle("bt-chosen", node === chosen);
      each.classList.toggle("bt-way", way.has(node));
      each.classList.toggle("bt-trail", trail.has(node));
      if (node.whole) {
        const state = each.querySelector(".bt-state");
        const text = node === best ? "★ best" : words.STATES[node.status];
        if (state.textContent !== text) state.textContent = text;
        each.setAttribute("aria-label", words.label(node, data.prompt, node === best));
      }
      const link = links[i - 1];
      if (!link) return;
      link.classList.toggle("bt-way", way.has(node));
      link.classList.toggle("bt-trail", trail.has(node));
      link.classList.toggle("bt-later", node.step > step);
    });
    if (step === drawn && best === first) return;
    const stepped = step !== drawn;
    [drawn, first] = [step, best];
    levels.forEach((each, i) => {
      each.classList.toggle("bt-later", i + 1 > step);
      each.classList.toggle("bt-current", i + 1 === step);
      each.classList.toggle("bt-past", i + 1 < step);
    });
    lines();
    const now = levels[step - 1] ?? root;
    if (stepped && el.scrollWidth > el.clientWidth) {
      el.scrollLeft = now.offsetLeft + now.offsetWidth - el.clientWidth + ROOM;
    }
  }

  return { el, draw, stop: () => sizes.disconnect() };
}

const byScore = (a, b) => b.score - a.score;

/** One node. Its numbers stand in it in full, for whoever reads the page by program. */
function item(node, prompt) {
  const properties = {
    class: node.parent ? `bt-node bt-${node.status}` : "bt-node bt-root",
    role: "treeitem",
    "aria-level": node.step + 1,
    "aria-label": words.label(node, prompt, false),
    "data-place": node.place,
    "data-lm-suppress-shortcuts": true, // JupyterLab's own arrow keys stay away
  };
  if (!node.parent) return h("div", properties, prompt);
  const { logProb, score, status } = node;
  return h(
    "div",
    { ...properties, "data-log-prob": logProb, "data-score": score },
    h("span", { class: "bt-word" }, words.visible(node.word)),
    node.greedy ? h("span", { class: "bt-tag" }, "greedy") : null,
    h("span", { class: "bt-state" }, words.STATES[status]),
    h("span", { class: "bt-numbers" }, words.numbers(node).map((text) => h("span", {}, text))),
  );
}
